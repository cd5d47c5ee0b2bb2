// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// One attempt to sign in: the listener to which the browser returns, and the page for the user.
@GLibActor
final class BrowserAttempt {
  let request: AuthorizationRequest
  private let listener: CallbackListener

  /// The listener is up when this returns.
  ///
  /// - Throws: ``ChappieAuthError``.
  init(
    issuer: String, endpoint: String, clientID: String?, hostID: String, resource: String, _ options: SignInOptions
  ) throws {
    let state = AuthorizationRequest.random()
    listener = try CallbackListener(state: SecretBytes(state.utf8), issuer: issuer)
    request = AuthorizationRequest(
      state: state, endpoint: endpoint, clientID: clientID, applicationName: options.applicationName, hostID: hostID,
      redirectURI: listener.redirectURI, resource: resource, asksForPlanUse: options.asksForPlanUse)
  }

  var way: BrowserReturn {
    BrowserReturn(
      complete: { [listener] address in try listener.take(pasted: address) },
      end: { [listener] error in listener.finish(CallbackPage(endOf: error)) })
  }

  /// Waits for the browser's return.
  ///
  /// - Throws: ``ChappieAuthError/expired``, `CancellationError`.
  func callback(atMost patience: Duration) async throws -> Callback {
    do {
      return try await withDeadline(patience) { [listener] in try await listener.callback() }
    } catch let error as GLibError where error.isTimeout {
      throw ChappieAuthError.expired
    }
  }
}

extension CallbackPage {
  /// The page for the end of a sign-in; nil is success. It repeats no text of a server or of the callback.
  init(endOf error: ChappieAuthError?) {
    switch error {
    case nil: self = .signedIn
    case .declined: self = .declined
    case .cancelled, .expired: self = .cancelled
    case .invalidResponse, .tokenExchangeFailed:
      self = .failed(
        reason: "The sign-in server gave an answer that cannot be used. Chappie says on your desktop what was wrong")
    case .some(let error): self = .failed(reason: error.description)
    }
  }
}
