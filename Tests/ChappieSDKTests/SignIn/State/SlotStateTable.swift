@testable import ChappieSDK

/// The machine of a slot's state as tables: every event, and what each state becomes with it.
///
/// What is stored, how far a sign-in is, and the last error change independently of each other, so each has a table of
/// its own. The last error's is with its test.
enum SlotStateTable {
  static let ada = ChappieAccountInfo(accountID: "ada")
  static let bob = ChappieAccountInfo(accountID: "bob")
  static let code = ChappieDeviceCode(
    userCode: "ABCD-12345", verificationURI: "https://example.org", expiresAt: 1)
  static let refusal = CredentialError.signIn(.tokenExchangeFailed(status: 400, message: "invalid_grant"))
  static let locked = CredentialError.locked("locked")
  static let notRevoked = CredentialError.signIn(.revocationFailed("down"))
  static let network = CredentialError.signIn(.network("down"))

  /// Each event, by the name that the tables have for it.
  static let events: KeyValuePairs<String, SlotState.Event> = [
    "found old": .found(bob, renewedAt: 100),
    "found new": .found(bob, renewedAt: 101),
    "found refused": .foundRefused(bob, renewedAt: 101),
    "found locked": .foundLocked,
    "found none": .foundNone,
    "found unusable": .foundUnusable(reason: "damaged"),
    "store failed": .storeFailed(locked),
    "requesting": .signInProgress(.requestingCode),
    "waiting": .signInProgress(.waitingForApproval(code)),
    "exchanging": .signInProgress(.exchanging),
    "declined": .signInFailed(.signIn(.declined)),
    "expired": .signInFailed(.signIn(.expired)),
    "cancelled": .signInFailed(.signIn(.cancelled)),
    "failed": .signInFailed(network),
    "signed in": .signedIn(bob),
    "refreshed": .refreshed(bob),
    "refresh refused": .refreshRefused(refusal, renewedAt: 100),
    "refresh failed": .refreshFailed(network),
    "signed out": .signedOut,
    "not revoked": .revocationFailed(notRevoked),
  ]

  // MARK: What is stored

  /// How each stored value comes about. `ada` was renewed at 100.
  static let storedStates: KeyValuePairs<String, [SlotState.Event]> = [
    "unknown": [],
    "none": [.foundNone],
    "present": [.foundLocked],
    "ada": [.found(ada, renewedAt: 100)],
    "spent": [.foundLocked, .refreshRefused(refusal, renewedAt: 100)],
    "spent ada": [.found(ada, renewedAt: 100), .refreshRefused(refusal, renewedAt: 100)],
  ]

  /// What is stored after an event, from each of: unknown, none, present, ada, spent, spent ada.
  static let storedAfter: [String: [String]] = [
    "found old": ["bob", "bob", "bob", "bob", "spent", "spent ada"],
    "found new": ["bob", "bob", "bob", "bob", "bob", "bob"],
    "found refused": ["spent bob", "spent bob", "spent bob", "spent bob", "spent bob", "spent bob"],
    "found locked": ["present", "present", "present", "ada", "spent", "spent ada"],
    "found none": ["none", "none", "none", "none", "none", "none"],
    "found unusable": ["none", "none", "none", "none", "none", "none"],
    "store failed": ["unknown", "none", "present", "ada", "spent", "spent ada"],
    "requesting": ["unknown", "none", "present", "ada", "spent", "spent ada"],
    "waiting": ["unknown", "none", "present", "ada", "spent", "spent ada"],
    "exchanging": ["unknown", "none", "present", "ada", "spent", "spent ada"],
    "declined": ["unknown", "none", "present", "ada", "spent", "spent ada"],
    "expired": ["unknown", "none", "present", "ada", "spent", "spent ada"],
    "cancelled": ["unknown", "none", "present", "ada", "spent", "spent ada"],
    "failed": ["unknown", "none", "present", "ada", "spent", "spent ada"],
    "signed in": ["bob", "bob", "bob", "bob", "bob", "bob"],
    "refreshed": ["bob", "bob", "bob", "bob", "bob", "bob"],
    "refresh refused": ["spent", "spent", "spent", "spent ada", "spent", "spent ada"],
    "refresh failed": ["unknown", "none", "present", "ada", "spent", "spent ada"],
    "signed out": ["none", "none", "none", "none", "none", "none"],
    "not revoked": ["unknown", "none", "present", "ada", "spent", "spent ada"],
  ]

  static func storedWord(_ stored: SlotState.Stored) -> String {
    switch stored {
    case .unknown: "unknown"
    case .none: "none"
    case .present(let account): account?.accountID ?? "present"
    case .spent(let account, _): "spent" + (account?.accountID.map { " \($0)" } ?? "")
    }
  }

  // MARK: How far a sign-in is

  static let linkStates: KeyValuePairs<ChappieDeviceLinkState, [SlotState.Event]> = [
    .idle: [],
    .requestingCode: [.signInProgress(.requestingCode)],
    .waitingForApproval: [.signInProgress(.waitingForApproval(code))],
    .exchanging: [.signInProgress(.waitingForApproval(code)), .signInProgress(.exchanging)],
    .declined: [.signInFailed(.signIn(.declined))],
    .expired: [.signInFailed(.signIn(.expired))],
    .cancelled: [.signInFailed(.signIn(.cancelled))],
    .failed: [.signInFailed(network)],
  ]

  /// Where a sign-in stands after an event; an event that is not here leaves it where it was.
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
    // Somebody else has signed out.
    case "found none": old == .linked ? .idle : old
    default: old
    }
  }
}
