// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The state machine of a slot as tables: each event, and its effect on each state.
///
/// The stored credential, the progress of a sign-in and the last error change independently, so each has its own table.
enum SlotStateTable {
  static let ada = ChappieAccountInfo(accountID: "ada")
  static let bob = ChappieAccountInfo(accountID: "bob")
  static let code = ChappieDeviceCode(
    userCode: "ABCD-12345", verificationAddress: "https://example.org", expiresAtSeconds: 1)
  static let page = ChappieBrowserPage(authorizationAddress: "https://example.org", expiresAtSeconds: 1)
  static let refusal = CredentialError.signIn(.tokenExchangeFailed(status: 400, message: "invalid_grant"))
  static let locked = CredentialError.locked("locked")
  static let notRevoked = CredentialError.signIn(.revocationFailed("down"))
  static let network = CredentialError.signIn(.network("down"))

  /// The events by their names in the tables, and the last error after each, from: none, a locked keyring, an unusable
  /// item, a refused refresh, no network.
  static let events: [(name: String, event: SlotState.Event, errors: String)] = [
    ("found old", .found(bob, renewedAt: 100), "none none none refusal network"),
    ("found new", .found(bob, renewedAt: 101), "none none none refusal network"),
    ("found refused", .foundRefused(bob, refusal, renewedAt: 101), "refusal refusal refusal refusal refusal"),
    ("found locked", .foundLocked, "none locked useless refusal network"),
    ("found none", .foundNone, "none none none refusal network"),
    ("found unusable", .foundUnusable(reason: "damaged"), "useless useless useless useless useless"),
    ("store failed", .storeFailed(locked), "locked locked locked locked locked"),
    ("requesting", .signInProgress(.preparing), "none none none none none"),
    ("waiting", .signInProgress(.waiting(.showCode(code))), "none locked useless refusal network"),
    ("exchanging", .signInProgress(.exchanging), "none locked useless refusal network"),
    ("declined", .signInFailed(.signIn(.declined)), "declined declined declined declined declined"),
    ("expired", .signInFailed(.signIn(.expired)), "expired expired expired expired expired"),
    ("cancelled", .signInFailed(.signIn(.cancelled)), "none none none none none"),
    ("failed", .signInFailed(network), "network network network network network"),
    ("signed in", .signedIn(bob), "none none none none none"),
    ("refreshed", .refreshed(bob), "none none none none none"),
    ("refresh refused", .refreshRefused(refusal, renewedAt: 100), "refusal refusal refusal refusal refusal"),
    ("refresh failed", .refreshFailed(network), "network network network network network"),
    ("signed out", .signedOut, "none none none none none"),
    ("not revoked", .revocationFailed(notRevoked), "none locked useless refusal network"),
  ]

  // MARK: The stored credential

  /// The events that lead to each stored value. `ada` was refreshed at 100.
  static let storedStates: KeyValuePairs<String, [SlotState.Event]> = [
    "unknown": [],
    "none": [.foundNone],
    "present": [.foundLocked],
    "ada": [.found(ada, renewedAt: 100)],
    "spent": [.foundLocked, .refreshRefused(refusal, renewedAt: 100)],
    "spent ada": [.found(ada, renewedAt: 100), .refreshRefused(refusal, renewedAt: 100)],
  ]

  /// What each stored value shows while no sign-in runs.
  static let shown: [String: ChappieAuthState] = [
    "unknown": .restoring, "none": .signedOut, "present": .signedIn, "ada": .signedIn,
    "spent": .reauthenticationRequired, "spent ada": .reauthenticationRequired,
  ]

  /// The stored value after an event, from each of: unknown, none, present, ada, spent, spent ada. An event without a
  /// row changes nothing.
  static let storedAfter: [String: [String]] = [
    "found old": ["bob", "bob", "bob", "bob", "spent", "spent ada"],
    "found new": ["bob", "bob", "bob", "bob", "bob", "bob"],
    "found refused": ["spent bob", "spent bob", "spent bob", "spent bob", "spent bob", "spent bob"],
    "found locked": ["present", "present", "present", "ada", "spent", "spent ada"],
    "found none": ["none", "none", "none", "none", "none", "none"],
    "found unusable": ["none", "none", "none", "none", "none", "none"],
    "signed in": ["bob", "bob", "bob", "bob", "bob", "bob"],
    "refreshed": ["bob", "bob", "bob", "bob", "bob", "bob"],
    "refresh refused": ["spent", "spent", "spent", "spent ada", "spent", "spent ada"],
    "signed out": ["none", "none", "none", "none", "none", "none"],
  ]

  static func storedWord(_ stored: SlotState.Stored) -> String {
    switch stored {
    case .unknown: "unknown"
    case .none: "none"
    case .present(let account): account?.accountID ?? "present"
    case .spent(let account, _): "spent" + (account?.accountID.map { " \($0)" } ?? "")
    }
  }

  // MARK: The progress of a sign-in

  static let linkStates: KeyValuePairs<ChappieDeviceLinkState, [SlotState.Event]> = [
    .idle: [],
    .requestingCode: [.signInProgress(.preparing)],
    .waitingForApproval: [.signInProgress(.waiting(.showCode(code)))],
    .exchanging: [.signInProgress(.waiting(.showCode(code))), .signInProgress(.exchanging)],
    .waitingForBrowser: [.signInProgress(.waiting(.openPage(page, isElsewhere: false)))],
    .verifying: [.signInProgress(.waiting(.openPage(page, isElsewhere: false))), .signInProgress(.verifying)],
    .declined: [.signInFailed(.signIn(.declined))],
    .expired: [.signInFailed(.signIn(.expired))],
    .cancelled: [.signInFailed(.signIn(.cancelled))],
    .failed: [.signInFailed(network)],
  ]

  /// The progress of a sign-in after an event. An event without an entry changes nothing.
  static func linkAfter(_ event: String, from old: ChappieDeviceLinkState) -> ChappieDeviceLinkState {
    switch event {
    case "requesting": .requestingCode
    case "waiting": .waitingForApproval
    case "exchanging": .exchanging
    case "declined": .declined
    case "expired": .expired
    case "cancelled": .cancelled
    case "failed": .failed
    case "signed in": .linked
    case "signed out": old.isRunning ? old : .idle
    // Another process has signed out.
    case "found none": old == .linked ? .idle : old
    default: old
    }
  }
}
