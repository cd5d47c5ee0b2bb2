import CGLib
import CLibsecret

/// libsecret's service objects: one that never asks the user for something, and one that may.
@GLibActor
final class SecretServicePair {
  typealias Interaction = SecretServiceClient.Interaction

  private enum Service {
    case opening(Task<SecretServiceReference, any Error>)
    case open(SecretServiceReference)
  }

  /// A person may take their time; a keyring may not.
  static let patience = Duration.seconds(120)

  private let deadline: Duration
  private let allowsPlainSessions: @GLibActor () -> Bool
  private var services: [Interaction: Service] = [:]

  /// - Parameters:
  ///   - deadline: the longest wait for an answer that needs no person.
  ///   - allowsPlainSessions: whether secrets may cross the bus in clear, where a keyring has no other way.
  init(deadline: Duration, allowsPlainSessions: @escaping @GLibActor () -> Bool) {
    self.deadline = deadline
    self.allowsPlainSessions = allowsPlainSessions
  }

  /// The unique name on the bus of the keyring that answered last; nil when none has.
  var keyring: String? {
    guard case .open(let service)? = services[.forbidden] else { return nil }
    return service.keyring
  }

  /// Runs `body` with a service object that may prompt as far as `interaction` allows, and with the time it has.
  ///
  /// Some keyrings answer with a prompt where nobody has to be asked, KeePassXC always does. Where that is so, the
  /// prompt has as little time as the keyring itself, and is dismissed then.
  func withPrompts(
    _ interaction: Interaction, whereNobodyIsAsked: () async throws -> Bool,
    _ body: (SecretServiceReference, Duration) async throws -> Void
  ) async throws {
    do {
      try await withService(.forbidden) { try await body($0, deadline) }
    } catch SecretStoreError.locked {
      switch interaction {
      case .allowed:
        try await PromptThrottle.shared.pass {
          try await withService(.allowed) { try await body($0, Self.patience) }
        } quiet: {
          try await withService(.forbidden) { try await body($0, deadline) }
        }
      case .forbidden:
        guard try await whereNobodyIsAsked() else { throw SecretStoreError.locked }
        try await withService(.allowed) { try await body($0, deadline) }
      }
    }
  }

  /// Runs `body` with a service object, and once more with a fresh one when the first has lost its session: a
  /// keyring that restarted forgets the sessions that it had.
  func withService<Result>(
    _ interaction: Interaction, _ body: (SecretServiceReference) async throws -> Result
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
    }
  }

  private func open(_ interaction: Interaction) async throws -> SecretServiceReference {
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

  private func makeService(_ interaction: Interaction) async throws -> SecretServiceReference {
    let type = interaction == .allowed ? PromptingSecretService.type : NonPromptingSecretService.type
    let service = try await asyncCall(deadline: deadline) { cancellable, callback, data in
      secret_service_open(type, nil, SECRET_SERVICE_OPEN_SESSION, cancellable, callback, data)
    } finish: { result, error in
      secret_service_open_finish(result, &error).map(SecretServiceReference.init(owning:))
    }
    guard let service else { throw SecretStoreError.unavailable("the keyring does not answer") }
    guard service.isEncrypted || allowsPlainSessions() else { throw Self.noEncryption }
    return service
  }

  private static let noEncryption = SecretStoreError.unavailable(
    "it offers no encrypted session, so that a sign-in would cross the session bus in clear; use a keyring that does, "
      + "or set PlainSession=allow in [Keyring] of chappie.conf")
}
