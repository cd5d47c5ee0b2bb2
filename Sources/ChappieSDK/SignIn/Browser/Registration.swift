// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// What is known of a slot's application at the issuer, which registers it for this user.
///
/// The client id is no secret: it is useless without the user. It outlives a sign-out, so that the next sign-in makes no
/// second entry among the user's connected applications.
struct Registration: Sendable, Equatable {
  /// The client id with which an application without a registration asks for one.
  static let newClient = "dynamic_agent_client"

  /// Nil when the next sign-in has to register the application.
  var clientID: String?
  /// A fingerprint of the issuer's name of the user, which differs from client to client. Nil while the registration is
  /// pending: the issuer has issued the id, and the sign-in has not ended yet.
  var subject: String?
  /// The client id that is of no use any more, since the user has removed the application from the account.
  var removed: String?
  /// A fingerprint of the mail address of the account that has signed in. It outlives the registration.
  var account: String?

  static func subject(_ name: String) -> String {
    KeyDerivation.fingerprint(of: Array(name.utf8), purpose: "org.chappie registered subject")
  }

  static func account(_ mailAddress: String?) -> String? {
    mailAddress.map {
      KeyDerivation.fingerprint(of: Array($0.lowercased().utf8), purpose: "org.chappie registered account")
    }
  }

  /// Whether a client id of the issuer can be kept: 1 to 256 printable characters of ASCII without a space, and not the
  /// one of new applications.
  static func isIssued(_ clientID: String) -> Bool {
    (1...256).contains(clientID.utf8.count) && clientID.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && clientID != newClient
  }
}

/// The registrations of the slots: a file for each slot in the user's state directory, named by a fingerprint.
struct RegistrationFile: Sendable {
  private static let lengthLimit = 2048

  private static var directory: StorageDirectory {
    StorageDirectory(StorageDirectory.deviceKeys.path(of: "registrations"))
  }

  private let path: String
  private let issuer: String

  init(_ slot: SlotIdentity, issuer: String) {
    // Each issuer has clients of its own.
    path = Self.directory.path(of: slot.fingerprint(purpose: "org.chappie registration \(issuer)"))
    self.issuer = issuer
  }

  /// Returns what is known; nothing is when the file is missing or damaged.
  func read() async -> Registration {
    await offActor { [self] in
      guard let bytes = try? Files.read(path, limit: Self.lengthLimit),
        let json = try? ChappieJSONValue(parsing: bytes.span), json["issuer"]?.stringValue == issuer
      else { return Registration() }
      let clientID = json["client_id"]?.stringValue.flatMap { Registration.isIssued($0) ? $0 : nil }
      return Registration(
        clientID: clientID, subject: clientID == nil ? nil : json["subject"]?.stringValue,
        removed: json["removed_client_id"]?.stringValue, account: json["account"]?.stringValue)
    }
  }

  /// Stores a registration before it is used, or that one is of no use.
  ///
  /// - Throws: ``ChappieAuthError/keyringUnavailable(_:)``.
  func write(_ registration: Registration) async throws {
    let members = [
      "issuer": issuer, "client_id": registration.clientID, "subject": registration.subject,
      "removed_client_id": registration.removed, "account": registration.account,
    ]
    let json = ChappieJSONValue.object(members.compactMapValues { $0.map { .string($0) } })
    do {
      try await offActor { [self] in
        Result {
          try StorageDirectory.deviceKeys.makeForDeviceKey()
          try Self.directory.make()
          try Files.write(json.encoded, to: path)
        }
      }.get()
    } catch {
      throw ChappieAuthError.keyringUnavailable(
        "The registration of this application cannot be stored in \(Self.directory.path) (\(error)).")
    }
  }

  /// Forgets all registrations of this user.
  static func removeAll() async {
    await offActor {
      for name in (try? Files.names(in: directory.path)) ?? [] { Files.remove(directory.path(of: name)) }
    }
  }
}

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
    let path = directory.path(of: name)
    if let id = existing(path, for: machine) { return id }
    try directory.makeForDeviceKey()
    do {
      let content = Array("urn:uuid:\(UniqueID.make())\n\(machine)\n".utf8)
      try Files.create(content, at: path, replaces: Files.exists(path))
    } catch .exists {
      // Another process has made it first.
    }
    BackupExclusion.mark(name, in: directory)
    guard let id = existing(path, for: machine) else { throw FileError.missing }
    return id
  }

  /// The stored id, unless it was made on another machine or is damaged.
  private nonisolated static func existing(_ path: String, for machine: String) -> String? {
    guard let bytes = try? Files.read(path, limit: 256) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let isRight = lines.count == 2 && lines[1] == machine && lines[0].hasPrefix("urn:uuid:")
    return isRight && lines[0].utf8.count == 45 ? String(lines[0]) : nil
  }
}
