// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// The client id that the issuer has issued to this user for the application of a slot.
///
/// It is no secret: it is useless without the user. It outlives a sign-out, so that the next sign-in makes no second
/// entry among the user's connected applications.
struct Registration: Sendable, Equatable {
  let clientID: String
  /// A fingerprint of the issuer's name of the user, which differs from client to client. Nil while the registration is
  /// pending: the issuer has issued the id, and the sign-in has not ended yet.
  var subject: String?

  /// The client id with which an application without a registration asks for one.
  static let newClient = "dynamic_agent_client"

  static func fingerprint(of subject: String) -> String {
    KeyDerivation.fingerprint(of: Array(subject.utf8), purpose: "org.chappie registered subject")
  }

  /// Whether a client id of the issuer can be kept: 1 to 256 printable characters of ASCII without a space, and not the
  /// one of new applications.
  static func isIssued(_ clientID: String) -> Bool {
    (1...256).contains(clientID.utf8.count) && clientID.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && clientID != newClient
  }
}

/// What is known of a slot's registrations.
struct RegistrationRecord: Sendable, Equatable {
  /// Nil when the next sign-in has to register the application.
  var current: Registration?
  /// The client id that is of no use any more, since the user has removed the application from the account.
  var removed: String?
  /// A fingerprint of the mail address of the account that has signed in. It outlives the registration.
  var account: String?

  static func account(_ mailAddress: String?) -> String? {
    mailAddress.map {
      KeyDerivation.fingerprint(of: Array($0.lowercased().utf8), purpose: "org.chappie registered account")
    }
  }
}

/// The registrations of the slots: a file for each slot in the user's state directory, named by a fingerprint.
struct RegistrationFile: Sendable {
  private static let lengthLimit = 2048

  private let directory: StorageDirectory
  private let name: String
  private let issuer: String

  init(_ slot: SlotIdentity, issuer: String) {
    directory = StorageDirectory(StorageDirectory.deviceKeys.path(of: "registrations"))
    // Each issuer has clients of its own.
    name = slot.fingerprint(purpose: "org.chappie registration \(issuer)")
    self.issuer = issuer
  }

  /// Returns what is known; nothing is when the file is missing or damaged.
  func read() async -> RegistrationRecord {
    await offActor { [self] in
      guard let bytes = try? Files.read(directory.path(of: name), limit: Self.lengthLimit),
        let json = try? ChappieJSONValue(parsing: bytes.span), json["issuer"]?.stringValue == issuer
      else { return RegistrationRecord() }
      let clientID = json["client_id"]?.stringValue.flatMap { Registration.isIssued($0) ? $0 : nil }
      return RegistrationRecord(
        current: clientID.map { Registration(clientID: $0, subject: json["subject"]?.stringValue) },
        removed: json["removed_client_id"]?.stringValue, account: json["account"]?.stringValue)
    }
  }

  /// Stores a registration before it is used, or that one is of no use.
  ///
  /// - Throws: ``ChappieAuthError/keyringUnavailable(_:)``.
  func write(_ record: RegistrationRecord) async throws {
    var json: [String: ChappieJSONValue] = ["issuer": .string(issuer)]
    json["client_id"] = record.current.map { .string($0.clientID) }
    json["subject"] = record.current?.subject.map { .string($0) }
    json["removed_client_id"] = record.removed.map { .string($0) }
    json["account"] = record.account.map { .string($0) }
    let bytes = ChappieJSONValue.object(json).encoded
    let outcome: Result<Void, FileError> = await offActor { [self] in
      do throws(FileError) {
        try StorageDirectory.deviceKeys.makeForDeviceKey()
        try directory.make()
        try Files.write(bytes, to: directory.path(of: name))
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    if case .failure(let error) = outcome {
      throw ChappieAuthError.keyringUnavailable(
        "The registration of this application cannot be stored in \(directory.path) (\(error)).")
    }
  }

  /// Forgets all registrations of this user.
  static func removeAll() async {
    await offActor {
      let directory = StorageDirectory(StorageDirectory.deviceKeys.path(of: "registrations"))
      for name in (try? Files.names(in: directory.path)) ?? [] { Files.remove(directory.path(of: name)) }
    }
  }
}
