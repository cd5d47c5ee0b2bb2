// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The rules for a slot's state after any history (design, section 6), most of them in ``Table``.
struct SlotStateTests {
  /// The bus uses the same words, so a change of one breaks scripts.
  @Test func statesKeepTheirWords() {
    #expect(
      ChappieAuthState.allCases.map(\.rawValue)
        == ["restoring", "signed-out", "signing-in", "signed-in", "reauthentication-required"])
    let running = ["requesting-code", "waiting-for-approval", "waiting-for-browser", "exchanging", "verifying"]
    #expect(
      ChappieDeviceLinkState.allCases.map(\.rawValue)
        == ["idle"] + running + ["linked", "declined", "expired", "cancelled", "failed"])
    #expect(ChappieDeviceLinkState.allCases.filter(\.isRunning).map(\.rawValue) == running)
  }

  @Test func everyEventInEveryStateMatchesTheTables() {
    // Linked has its own test.
    #expect(Table.linkStates.count + 1 == ChappieDeviceLinkState.allCases.count)
    for (storedName, storedEvents) in Table.storedStates {
      for (link, linkEvents) in Table.linkStates {
        for (name, event, _) in Table.events {
          var state = SlotState()
          for event in storedEvents + linkEvents { state.apply(event) }
          #expect(Table.storedWord(state.stored) == storedName && state.deviceLinkState == link)
          #expect(state.state == (link.isRunning ? .signingIn : Table.shown[storedName]))
          #expect(state.accountInfo == (storedName.hasSuffix("ada") ? Table.ada : nil))
          state.apply(event)
          let place: Comment = "\(name) in \(storedName), \(link)"
          #expect(Table.storedWord(state.stored) == Table.storedAfter(name, from: storedName), place)
          #expect(state.deviceLinkState == Table.linkAfter(name, from: link), place)
        }
      }
    }
  }

  @Test func linkedChangesOnlyAsInTheTable() {
    for (name, event, _) in Table.events {
      var state = SlotState()
      state.apply(.signedIn(Table.ada))
      #expect(state.deviceLinkState == .linked)
      state.apply(event)
      #expect(state.deviceLinkState == Table.linkAfter(name, from: .linked), "\(name)")
    }
  }

  @Test func eachEventSetsKeepsOrClearsTheLastError() {
    let errors: KeyValuePairs<String, CredentialError?> = [
      "none": nil, "locked": Table.locked, "useless": .unusable("damaged"), "refusal": Table.refusal,
      "network": Table.network, "declined": .signIn(.declined), "expired": .signIn(.expired),
    ]
    for (name, event, expected) in Table.events {
      for ((before, error), after) in zip(errors, expected.split(separator: " ")) {
        var state = SlotState()
        if let error { state.apply(.storeFailed(error)) }
        state.apply(event)
        #expect(state.lastError == errors.first { $0.key == after }?.value, "\(name) after \(before)")
      }
    }
  }

  /// The reason belongs to the moment at which it becomes known, and not to a sign-in that follows.
  @Test func aKnownRefusalIsNoNewError() {
    let refused = SlotState.Event.foundRefused(Table.ada, Table.refusal, renewedAt: 100)
    var state = SlotState()
    state.apply(refused)
    #expect(state.lastError == Table.refusal)
    for event in [.found(Table.ada, renewedAt: 99), .foundLocked] as [SlotState.Event] {
      state.apply(event)
      #expect(state.lastError == Table.refusal && state.isSpent)
    }
    state.apply(.signInProgress(.preparing))
    state.apply(refused)
    #expect(state.lastError == nil)
    state.apply(.signInFailed(.signIn(.declined)))
    state.apply(refused)
    #expect(state.lastError == .signIn(.declined))
  }

  /// A failed revocation is irrelevant after a new sign-in, or during one.
  @Test func signOutReportsAFailedRevocation() {
    var state = SlotState()
    state.apply(.signedOut)
    state.apply(.revocationFailed(Table.notRevoked))
    #expect(state.lastError == Table.notRevoked)
    #expect(state.state == .signedOut)
    state.apply(.foundNone)
    #expect(state.lastError == Table.notRevoked)
    state.apply(.signInProgress(.preparing))
    state.apply(.revocationFailed(Table.notRevoked))
    #expect(state.lastError == nil)
    state.apply(.signedIn(Table.ada))
    state.apply(.revocationFailed(Table.notRevoked))
    #expect(state.lastError == nil)
  }

  @Test func codeIsShownOnlyWhileUsable() {
    var state = SlotState()
    state.apply(.signInProgress(.preparing))
    #expect(state.signInStep?.deviceCode == nil)
    state.apply(.signInProgress(.waiting(.showCode(Table.code))))
    #expect(state.signInStep?.deviceCode == Table.code)
    for event in Table.events.map(\.event) {
      var next = state
      next.apply(event)
      #expect(
        next.signInStep?.deviceCode
          == (next.deviceLinkState == .requestingCode || !next.deviceLinkState.isRunning ? nil : Table.code))
    }
  }
}

/// The state machine of a slot as tables: each event, and its effect on each state.
///
/// The stored credential, the progress of a sign-in and the last error change independently, so each has its own table.
private enum Table {
  static let ada = ChappieAccountInfo(accountID: "ada")
  static let bob = ChappieAccountInfo(accountID: "bob")
  static let code = ChappieDeviceCode(
    userCode: "ABCD-12345", verificationURI: .init(address: "https://example.org"), expiresAt: .init(unixSeconds: 1))
  static let page = ChappieBrowserPage(
    authorizationURI: .init(address: "https://example.org"), expiresAt: .init(unixSeconds: 1))
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

  /// The stored value after an event. An event without an entry changes nothing.
  static func storedAfter(_ event: String, from old: String) -> String {
    switch event {
    case "found new", "signed in", "refreshed": "bob"
    case "found old": old.hasPrefix("spent") ? old : "bob"
    case "found refused": "spent bob"
    case "found locked": ["unknown", "none"].contains(old) ? "present" : old
    case "found none", "found unusable", "signed out": "none"
    case "refresh refused": old.hasSuffix("ada") ? "spent ada" : "spent"
    default: old
    }
  }

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
