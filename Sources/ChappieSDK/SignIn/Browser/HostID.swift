// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// The id of this user on this machine, as the issuer knows it (`ext_agent_host_id`). It is random, is no secret, and
/// names nobody.
///
/// It is made before the first sign-in and never changes: not at a new sign-in, and not for another account. A copy of
/// the home directory on another machine gets an id of its own.
@GLibActor
enum HostID {
  private nonisolated static let name = "host-id"
  private static var known: String?

  /// Returns the id. The first call reads or makes it.
  ///
  /// - Throws: ``ChappieAuthError/keyringUnavailable(_:)`` when it can neither be read nor stored.
  static func read() async throws -> String {
    if let known { return known }
    do {
      let machine = try MachineID.name()
      let id = try await offActor { Result { try stored(for: machine) } }.get()
      known = id
      return id
    } catch {
      throw ChappieAuthError.keyringUnavailable("The id of this machine for the sign-in cannot be stored (\(error)).")
    }
  }

  private nonisolated static func stored(for machine: String) throws -> String {
    let directory = StorageDirectory.deviceKeys
    if let id = existing(in: directory, for: machine) { return id }
    try directory.makeForDeviceKey()
    let content = Array("urn:uuid:\(UniqueID.make())\n\(machine)\n".utf8)
    let isForeign = Files.exists(directory.path(of: name))
    do {
      try Files.create(content, at: directory.path(of: name), replaces: isForeign)
    } catch .exists {
      // Another process has made it first.
    }
    BackupExclusion.mark(name, in: directory)
    guard let id = existing(in: directory, for: machine) else { throw FileError.missing }
    return id
  }

  /// The stored id, unless it was made on another machine or is damaged.
  private nonisolated static func existing(in directory: StorageDirectory, for machine: String) -> String? {
    guard let bytes = try? Files.read(directory.path(of: name), limit: 256) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.count == 2, lines[1] == machine, lines[0].hasPrefix("urn:uuid:"), lines[0].utf8.count == 45 else {
      return nil
    }
    return String(lines[0])
  }
}
