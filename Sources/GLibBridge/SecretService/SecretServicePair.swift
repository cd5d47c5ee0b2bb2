// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsecret

/// Two libsecret service objects: one never prompts, one may.
@GLibActor
final class SecretServicePair {
  private enum ServiceState {
    case opening(Task<SecretServiceReference, any Error>)
    case open(SecretServiceReference)
  }

  /// The longest wait for a prompt.
  static let promptDeadline = Duration.seconds(120)

  private let deadline: Duration
  private let allowsPlainSessions: @GLibActor () -> Bool
  private var services: [UserInteraction: ServiceState] = [:]

  /// - Parameters:
  ///   - deadline: the longest wait for a response without a prompt.
  ///   - allowsPlainSessions: whether secrets may cross the bus unencrypted when the keyring supports nothing else.
  init(deadline: Duration, allowsPlainSessions: @escaping @GLibActor () -> Bool) {
    self.deadline = deadline
    self.allowsPlainSessions = allowsPlainSessions
  }

  /// The unique bus name of the keyring that responded last; nil when none has.
  var keyring: String? { opened?.keyring }

  /// Whether the keyring has a `session` collection; nil when unknown.
  var hasSessionCollection: Bool? { opened?.hasSessionCollection }

  private var opened: SecretServiceReference? {
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
