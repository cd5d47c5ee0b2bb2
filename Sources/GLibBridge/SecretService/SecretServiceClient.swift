// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsecret

/// A client of the desktop keyring (the Secret Service), by libsecret.
///
/// No call prompts the user unless its `interaction` allows it. Each call has a deadline. Items are looked up by their
/// attributes each time, because an object path may later refer to another item.
@GLibActor
public final class SecretServiceClient {
  /// The attributes that identify an item, and its label in a keyring editor.
  public struct Item: Sendable {
    /// The name of the libsecret schema.
    public var schema: String
    public var attributes: [String: String]
    public var label: String

    public init(schema: String, attributes: [String: String], label: String) {
      self.schema = schema
      self.attributes = attributes
      self.label = label
    }
  }

  /// The collection in which an item is stored.
  public enum Collection: Sendable {
    /// The user's default collection, stored on disk.
    case `default`
    /// The collection of the keyring with this unique bus name that lasts until logout. Not every keyring has one.
    case session(keyring: String)

    var alias: String {
      switch self {
      case .default: SECRET_COLLECTION_DEFAULT
      case .session: SECRET_COLLECTION_SESSION
      }
    }
  }

  /// The lock state of a collection.
  public enum CollectionState: Sendable {
    case locked
    case unlocked
  }

  /// An item that a search found. An item may be locked even when its collection is not.
  public struct Found {
    public let attributes: [String: String]
    public let isLocked: Bool
    /// The item's object path. It may refer to another item later.
    public let path: String
  }

  /// The longest wait for a prompt.
  static let promptDeadline = Duration.seconds(120)

  /// One of libsecret's service objects.
  private enum ServiceState {
    case opening(Task<SecretServiceReference, any Error>)
    case open(SecretServiceReference)
  }

  let deadline: Duration
  private let allowsPlainSessions: @GLibActor () -> Bool
  /// One that never prompts, and one that may.
  private var services: [UserInteraction: ServiceState] = [:]

  /// Creates a client. It connects at its first use.
  ///
  /// - Parameters:
  ///   - deadline: the longest wait for a response without a prompt.
  ///   - allowsPlainSessions: whether secrets may cross the bus unencrypted when the keyring supports nothing else. It
  ///     is called for each new session. When it returns false, each call fails with
  ///     ``SecretStoreError/unavailable(_:)``.
  public init(
    deadline: Duration = .seconds(5), allowsPlainSessions: @escaping @GLibActor () -> Bool = { false }
  ) {
    self.deadline = deadline
    self.allowsPlainSessions = allowsPlainSessions
  }

  /// Connects to the keyring, unless there is a connection.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func connect() async throws {
    try await withService(.forbidden) { _ in }
  }

  /// The unique bus name of the keyring that responded last; nil when none has.
  public var keyring: String? { opened?.keyring }

  // MARK: Service objects

  /// The service object that never prompts; nil when there is none yet.
  var opened: SecretServiceReference? {
    guard case .open(let service)? = services[.forbidden] else { return nil }
    return service
  }

  /// Runs `body` with a service object that prompts as far as `interaction` allows, and with its deadline.
  ///
  /// Some keyrings return a prompt object even when no user has to be asked; KeePassXC always does. In that case the
  /// prompt has the short deadline of a call, and is dismissed after it.
  ///
  /// - Parameter whenNoPromptIsNeeded: whether the operation needs no answer of the user.
  func withPrompts(
    _ interaction: UserInteraction, whenNoPromptIsNeeded: () async throws -> Bool,
    _ body: (SecretServiceReference, Duration) async throws -> Void
  ) async throws {
    do {
      try await asking(.forbidden, body)
    } catch SecretStoreError.locked {
      guard interaction == .forbidden else { return try await asking(.allowed, body) }
      guard try await whenNoPromptIsNeeded() else { throw SecretStoreError.locked }
      try await withService(.allowed) { try await body($0, deadline) }
    }
  }

  /// Runs `body` with a service object that may prompt the user, when `interaction` and ``PromptThrottle`` allow it, and
  /// with its deadline.
  func asking(
    _ interaction: UserInteraction, _ body: (SecretServiceReference, Duration) async throws -> Void
  ) async throws {
    func askNobody() async throws { try await withService(.forbidden) { try await body($0, deadline) } }
    guard interaction == .allowed else { return try await askNobody() }
    try await PromptThrottle.shared.pass {
      try await withService(.allowed) { try await body($0, Self.promptDeadline) }
    } quiet: {
      try await askNobody()
    }
  }

  /// Runs `body` with a service object. If the session is lost, opens a new one and runs `body` again: a restarted
  /// keyring has no sessions.
  func withService<Result>(
    _ interaction: UserInteraction, _ body: (SecretServiceReference) async throws -> Result
  ) async throws -> Result {
    do {
      do {
        return try await body(try await open(interaction))
      } catch let error as GLibError where error.isSessionLost {
        services = [:]
        return try await body(try await open(interaction))
      }
    } catch let error as GLibError {
      throw error.storeError
    } catch let error as VariantError {
      throw SecretStoreError.unavailable("it answers with other types than the specification's: \(error)")
    }
  }

  private func open(_ interaction: UserInteraction) async throws -> SecretServiceReference {
    switch services[interaction] {
    case .open(let service)? where service.hasSession: return service
    case .opening(let task)?: return try await task.value
    case .open?, nil: break
    }
    let task = Task.onGLib { try await makeService(interaction) }
    services[interaction] = .opening(task)
    do {
      let service = try await task.value
      services[interaction] = .open(service)
      return service
    } catch {
      services[interaction] = nil
      throw error
    }
  }

  private func makeService(_ interaction: UserInteraction) async throws -> SecretServiceReference {
    let type = interaction == .allowed ? PromptingSecretService.type : NonPromptingSecretService.type
    let service = try await asyncCall(deadline: deadline) { cancellable, callback, data in
      secret_service_open(type, nil, SECRET_SERVICE_OPEN_SESSION, cancellable, callback, data)
    } finish: { result, error in
      secret_service_open_finish(result, &error).map { SecretServiceReference(owning: $0, interaction) }
    }
    guard service.isEncrypted || allowsPlainSessions() else { throw Self.noEncryption }
    return service
  }

  private static let noEncryption = SecretStoreError.unavailable(
    "it supports no encrypted session, so a credential would cross the session bus unencrypted; use another keyring, "
      + "or set PlainSession=allow in [Keyring] of chappie.conf")
}

/// Whether a call may prompt the user, for example for the keyring's password.
public enum UserInteraction: Sendable {
  case forbidden
  case allowed
}

/// An error of the desktop keyring.
public enum SecretStoreError: Error, Equatable {
  /// The collection or item is locked, and unlocking was forbidden or dismissed.
  case locked
  /// The keyring has no default collection, as before its first use, and creating one was forbidden.
  case noDefaultCollection
  /// There is no keyring, it does not respond, or it returned an error. The value is the reason.
  case unavailable(String)
}

extension GLibError {
  /// The store error that corresponds to this error.
  var storeError: SecretStoreError { isLockedOrDismissed ? .locked : .unavailable(message) }

  private var isLockedOrDismissed: Bool {
    busName == "org.freedesktop.Secret.Error.IsLocked"
      || isSecret(SECRET_ERROR_IS_LOCKED)
      || domain == NonPromptingSecretService.errorDomain
  }

  /// Whether the called object does not exist.
  var isNoSuchObject: Bool {
    switch busName {
    case "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownMethod",
      "org.freedesktop.DBus.Error.UnknownObject":
      true
    default:
      isSecret(SECRET_ERROR_NO_SUCH_OBJECT)
    }
  }

  /// Whether the keyring has lost the session or left the bus.
  var isSessionLost: Bool {
    switch busName {
    case "org.freedesktop.Secret.Error.NoSession", "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownObject":
      true
    default:
      false
    }
  }

  /// Whether this is libsecret's error `code`.
  private func isSecret(_ code: SecretError) -> Bool {
    domain == String(cString: g_quark_to_string(secret_error_get_quark())) && self.code == Int32(code.rawValue)
  }
}
