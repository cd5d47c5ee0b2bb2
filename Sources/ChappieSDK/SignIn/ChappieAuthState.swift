// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The state of a sign-in.
public enum ChappieAuthState: String, Sendable, Hashable, CaseIterable {
  /// Nothing is known, because the keyring has not answered yet.
  case restoring
  /// Nothing usable is stored.
  case signedOut = "signed-out"
  /// A sign-in is running, with or without a stored credential.
  case signingIn = "signing-in"
  /// A credential is stored. A locked keyring may hide its account.
  case signedIn = "signed-in"
  /// The stored credential cannot be refreshed any more. Offer a new sign-in.
  case reauthenticationRequired = "reauthentication-required"
}

extension ChappieAuthState: LogValue {}

/// The progress of a sign-in.
public enum ChappieDeviceLinkState: String, Sendable, Hashable, CaseIterable {
  /// No sign-in has run, or the user has signed out since.
  case idle
  /// The server has been asked for a code, or for the address of its page.
  case requestingCode = "requesting-code"
  /// The code is known. The user has yet to enter and approve it.
  case waitingForApproval = "waiting-for-approval"
  /// The page of a sign-in in the browser is known. The user has yet to approve it there.
  case waitingForBrowser = "waiting-for-browser"
  /// The user has approved, and the server is asked for the tokens.
  case exchanging
  /// The server's proof of who signed in is checked.
  case verifying
  /// The sign-in has succeeded, and its credential is stored.
  case linked
  /// The user has declined the sign-in on the page.
  case declined
  /// The time for the user has passed without an approval.
  case expired
  /// This program has cancelled the sign-in.
  case cancelled
  /// The sign-in has failed. ``ChappieAuthSession/lastError`` gives the reason.
  case failed

  /// Whether a sign-in is running.
  public var isRunning: Bool {
    switch self {
    case .requestingCode, .waitingForApproval, .waitingForBrowser, .exchanging, .verifying: true
    case .idle, .linked, .declined, .expired, .cancelled, .failed: false
    }
  }
}

/// A device code and the page where the user enters it.
public struct ChappieDeviceCode: Sendable, Hashable {
  /// The code to enter: 1 to 64 letters, digits and dashes.
  public let userCode: String
  /// The address of the page on which the user enters the code.
  public let verificationURI: ChappieAddress
  /// The code's expiry.
  public let expiresAt: ChappieTime

  /// Creates a code, such as for a preview.
  public init(userCode: String, verificationURI: ChappieAddress, expiresAt: ChappieTime) {
    self.userCode = userCode
    self.verificationURI = verificationURI
    self.expiresAt = expiresAt
  }
}

/// What a running sign-in asks of the user.
package enum SignInStep: Sendable, Hashable {
  /// To enter the code on its page.
  case showCode(ChappieDeviceCode)
  /// To approve on the page. A browser elsewhere does not return by itself: the user brings the address at which it
  /// arrives.
  case openPage(ChappieBrowserPage, isElsewhere: Bool)

  var deviceCode: ChappieDeviceCode? { if case .showCode(let code) = self { code } else { nil } }
  var browserPage: ChappieBrowserPage? { if case .openPage(let page, _) = self { page } else { nil } }
}

/// The signed-in account, as the tokens of the stored credential describe it. A part that they do not name is nil.
public struct ChappieAccountInfo: Sendable, Hashable, Codable {
  /// The user's email address.
  public let email: String?
  /// The server's id of the user.
  public let userID: String?
  /// The server's id of the account whose plan pays for requests. A user can have several.
  public let accountID: String?
  /// The account's plan when the tokens were issued.
  public let plan: ChappiePlan?

  /// Creates an account, such as for a preview.
  public init(email: String? = nil, userID: String? = nil, accountID: String? = nil, plan: ChappiePlan? = nil) {
    self.email = email
    self.userID = userID
    self.accountID = accountID
    self.plan = plan
  }

  /// Whether answers to `requester` are this account's: its id or, where it has none, its user's.
  func isRequester(_ requester: String?) -> Bool {
    requester == accountID ?? userID || requester == accountID
  }
}
