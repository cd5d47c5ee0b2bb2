// SPDX-License-Identifier: Apache-2.0

/// A way to sign in. It decides on the servers of the sign-in and of its requests.
public enum ChappieSignInMethod: String, Sendable, Hashable, CaseIterable {
  /// The user types a code on a web page, on any device. Requests go to the backend of the Codex client.
  case deviceCode = "device-code"
  /// The user connects the application in a browser (“Sign in with ChatGPT”). Requests go to OpenAI's public API, on
  /// the user's plan.
  case browser
}

/// Whether the requests of a slot may use the ChatGPT plan of its user.
public enum ChappiePlanUse: String, Sendable, Hashable, CaseIterable {
  /// The user has allowed it.
  case enabled
  /// The user has not allowed it. A sign-in that asks for it may change that.
  case notGranted = "not-granted"
  /// The server refuses it to this user or workspace. Another sign-in does not help.
  case notEligible = "not-eligible"
  /// The plan, or the user's limit for this application, is used up.
  case limitReached = "limit-reached"
  /// The server cannot tell now whether the plan may be used.
  case unavailable
  /// Nobody is signed in, or the method of the sign-in does not tell.
  case unknown
}

/// The page of a sign-in in the browser.
public struct ChappieBrowserPage: Sendable, Hashable {
  /// The address of the page. It names no account and no token.
  public let authorizationURI: ChappieAddress
  /// The end of the attempt.
  public let expiresAt: ChappieTime

  /// Creates a page, such as for a preview.
  public init(authorizationURI: ChappieAddress, expiresAt: ChappieTime) {
    self.authorizationURI = authorizationURI
    self.expiresAt = expiresAt
  }
}
