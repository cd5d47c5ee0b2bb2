import GLibBridge

extension SecretStoreError {
  private var text: String {
    switch self {
    case .locked where PromptGate.isPausing:
      "The keyring is locked, and asks nothing for this program now, for that was refused a moment ago: unlock it and "
        + "try again."
    case .locked: "The keyring is locked: unlock it and try again."
    case .unavailable(let reason): "The keyring cannot be used (\(reason)): start or repair it and try again."
    }
  }

  /// The same failure as a sign-in meets it.
  var authError: ChappieAuthError {
    switch self {
    case .locked: .locked(text)
    case .unavailable: .keyringUnavailable(text)
    }
  }

  /// The same failure as a request meets it.
  var clientError: ChappieClientError {
    switch self {
    case .locked: .locked(text)
    case .unavailable: .keyringUnavailable(text)
    }
  }
}

extension ChappieAuthError {
  /// What a sign-in failed with, whatever was thrown.
  init(_ error: any Error) {
    switch error {
    case let error as ChappieAuthError: self = error
    case let error as SecretStoreError: self = error.authError
    case is CancellationError: self = .cancelled
    default: self = .invalidResponse("\(error)")
    }
  }

  /// The same failure as a request meets it.
  var clientError: ChappieClientError {
    switch self {
    case .missingRefreshToken: .missingRefreshToken
    case .locked(let message): .locked(message)
    case .keyringUnavailable(let message): .keyringUnavailable(message)
    default: .signInServer(self)
    }
  }
}

extension ChappieClientError {
  /// The same failure as a sign-in meets it; nil where only requests meet it.
  var authError: ChappieAuthError? {
    switch self {
    case .locked(let message): .locked(message)
    case .keyringUnavailable(let message): .keyringUnavailable(message)
    default: nil
    }
  }
}
