// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The reason that a stored credential or another secret of a slot cannot be read, stored or refreshed now.
///
/// The folders below the public API throw this error and `CancellationError`. ``ChappieAuthSession`` converts it into
/// ``ChappieAuthError`` and ``ChappieClient`` into ``ChappieClientError``. Both conversions are in this file.
package enum CredentialError: Error, Sendable, Hashable {
  /// Nothing is stored.
  case missing
  /// The keyring or the screen is locked. The text says which one.
  case locked(String)
  /// The keyring is absent or does not answer. The text gives the remedy.
  case keyringUnavailable(String)
  /// The stored item cannot be used here. The text gives the reason.
  case unusable(String)
  /// The stored sign-in has ended. Only a new sign-in helps.
  case reauthenticationRequired
  /// The sign-in, its refresh or its revocation failed.
  case signIn(ChappieAuthError)
}

extension CredentialError {
  /// The keyring is locked.
  package static var keyringLocked: CredentialError {
    PromptThrottle.isBackingOff
      ? .locked(
        en(
          """
          The keyring is locked, and asks nothing for this program now, because the last question was refused a moment \
          ago: unlock it and try again.
          """))
      : .locked(en("The keyring is locked: unlock it and try again."))
  }

  /// The keyring or the seal of its items failed for `reason`.
  package static func keyringFailed(_ reason: String) -> CredentialError {
    .keyringUnavailable(en("The keyring cannot be used (\(reason)): start or repair it and try again."))
  }

  private static let noDefaultCollection =
    en(
      """
      The keyring has no collection to store in, as before its first use: a sign-in in the window or at a terminal \
      lets it create one.
      """)

  /// Converts an error of the keyring's client.
  init(_ error: SecretStoreError) {
    switch error {
    case .locked: self = .keyringLocked
    case .noDefaultCollection: self = .keyringUnavailable(Self.noDefaultCollection)
    case .unavailable(let reason): self = .keyringFailed(reason)
    }
  }

  /// Converts any error of a sign-in, a sign-out or a refresh.
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

/// An error of the public API that tells a ``CredentialError`` to its users.
package protocol CredentialFailure: Error {
  init(_ error: CredentialError)
}

extension CredentialFailure {
  /// Runs `body` and converts a ``CredentialError`` into this error.
  package static func converting<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as CredentialError {
      throw Self(error)
    }
  }
}

extension ChappieAuthError: CredentialFailure {
  /// Converts the error for a session's users.
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

extension ChappieClientError: CredentialFailure {
  /// Converts the error for a client's users.
  package init(_ error: CredentialError) {
    switch error {
    case .missing, .unusable: self = .missingCredential
    case .locked(let message): self = .locked(message)
    case .keyringUnavailable(let message): self = .keyringUnavailable(message)
    case .reauthenticationRequired:
      self = .reauthenticationRequired(en("The sign-in has ended and cannot be renewed: sign in again."))
    case .signIn(.missingRefreshToken): self = .missingRefreshToken
    case .signIn(let error): self = .signInServer(error)
    }
  }
}
