// SPDX-License-Identifier: Apache-2.0
import CGLib
import Platform

/// The process of a peer on the bus, with a pidfd that detects reuse of the process ID.
public struct BusPeer: Sendable {
  /// The process ID, valid while ``handle`` is running.
  public let processID: Int32
  public let userID: UInt32
  /// The label of the kernel's security module (AppArmor, SELinux) at the time of the connection; nil when there is
  /// none.
  public let securityLabel: String?
  public let handle: ProcessHandle
}

extension BusConnection {
  /// Looks up the process behind a unique name.
  ///
  /// - Throws: ``GLibError`` when the peer has left or the bus does not know its process.
  public func peer(_ sender: String) async throws -> BusPeer {
    var connection = self
    // A guarded one receives no descriptors.
    if case .guarded(let bus, _) = reception { connection = try await BusConnection.open(bus) }
    let (credentials, descriptors) = try await connection.callForDescriptors(
      busName, busPath, busName, "GetConnectionCredentials", .tuple(sender))
    let facts = try credentials.member(0, "credentials", as: VariantDictionary.self)
    let label = facts["LinuxSecurityLabel"]?.byteString
    guard let processID = try facts.value("ProcessID", as: UInt32.self),
      let userID = try facts.value("UnixUserID", as: UInt32.self)
    else {
      throw GLibError(domain: "chappie-bus", code: 2, message: "the bus does not know the caller's process")
    }
    let number = Int32(bitPattern: processID)
    if let handle = descriptors.first.map({ ProcessHandle($0) }) {
      guard handle.processID == number else {
        throw GLibError(domain: "chappie-bus", code: 2, message: "the caller has left, or the bus confuses processes")
      }
      return BusPeer(processID: number, userID: userID, securityLabel: label, handle: handle)
    }
    guard let handle = ProcessHandle(number) else {
      throw GLibError(domain: "chappie-bus", code: 2, message: "the caller's process cannot be opened")
    }
    // The process ID belonged to the caller when the bus recorded it. The caller usually still runs while it is
    // connected, and then the pidfd refers to it. If a process passed its connection to another process and ended, its
    // ID may have been reused. Only a bus that provides the pidfd closes that gap.
    let again = try await call(busName, busPath, busName, "GetConnectionUnixProcessID", .tuple(sender))
    guard try again.member(0, "process", as: UInt32.self) == processID, handle.isRunning else {
      throw GLibError(domain: "chappie-bus", code: 2, message: "the caller has left")
    }
    return BusPeer(processID: number, userID: userID, securityLabel: label, handle: handle)
  }
}
