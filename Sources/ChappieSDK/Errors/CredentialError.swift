import GLibBridge

/// Why a stored credential, or another secret of a slot, cannot be read, stored or renewed now.
///
/// The folders below the public API throw this and `CancellationError`. ``ChappieAuthSession`` shows it as
/// ``ChappieAuthError``, ``ChappieClient`` throws it as ``ChappieClientError``: both mappings are in this file.
package enum CredentialError: Error, Sendable, Hashable {
  /// Nothing is stored.
  case missing
  /// The keyring or the screen is locked; the text says which.
  case locked(String)
  /// There is no keyring, or it does not answer; the text says what to do.
  case keyringUnavailable(String)
  /// Something is stored that cannot be used here; the text says why.
  case unusable(String)
  /// The stored sign-in has ended: only a new sign-in helps.
  case reauthenticationRequired
  /// The sign-in, its renewal or its revocation failed.
  case signIn(ChappieAuthError)
}

extension CredentialError {
  /// The keyring is locked.
  package static var keyringLocked: CredentialError {
    PromptThrottle.isBackingOff
      ? .locked(
        "The keyring is locked, and asks nothing for this program now, because the last question was refused a moment "
          + "ago: unlock it and try again.")
      : .locked("The keyring is locked: unlock it and try again.")
  }

  /// The keyring, or what its items are sealed with, failed for `reason`.
  package static func keyringFailed(_ reason: String) -> CredentialError {
    .keyringUnavailable("The keyring cannot be used (\(reason)): start or repair it and try again.")
  }

  /// What the keyring's client threw.
  init(_ error: SecretStoreError) {
    switch error {
    case .locked: self = .keyringLocked
    case .unavailable(let reason): self = .keyringFailed(reason)
    }
  }

  /// Whatever a sign-in, a sign-out or a renewal threw.
  init(_ error: any Error) {
    switch error {
    case let error as CredentialError: self = error
    case let error as ChappieAuthError: self = .signIn(error)
    case is CancellationError: self = .signIn(.cancelled)
    default: self = .signIn(.invalidResponse("\(error)"))
    }
  }
}

extension CredentialError: LogValue {
  package var logText: String {
    switch self {
    case .missing: "nothing is stored"
    case .locked(let reason), .keyringUnavailable(let reason), .unusable(let reason): reason.withoutFullStop
    case .reauthenticationRequired: "the sign-in has ended"
    case .signIn(let error): error.logText
    }
  }
}

// MARK: The public errors

extension ChappieAuthError {
  /// The failure as a session shows it.
  package init(_ error: CredentialError) {
    switch error {
    case .missing: self = .missingRefreshToken
    case .locked(let message): self = .locked(message)
    case .keyringUnavailable(let message): self = .keyringUnavailable(message)
    case .unusable(let reason): self = .invalidResponse(reason)
    case .reauthenticationRequired: self = .missingRefreshToken
    case .signIn(let error): self = error
    }
  }
}

extension ChappieClientError {
  /// The failure as a client throws it.
  package init(_ error: CredentialError) {
    switch error {
    case .missing, .unusable: self = .missingCredential
    case .locked(let message): self = .locked(message)
    case .keyringUnavailable(let message): self = .keyringUnavailable(message)
    case .reauthenticationRequired:
      self = .reauthenticationRequired("The sign-in has ended and cannot be renewed: sign in again.")
    case .signIn(.missingRefreshToken): self = .missingRefreshToken
    case .signIn(let error): self = .signInServer(error)
    }
  }

  /// Runs `body`, and throws what a credential failed with as a client throws it.
  @GLibActor
  static func converting<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as CredentialError {
      throw ChappieClientError(error)
    }
  }
}
