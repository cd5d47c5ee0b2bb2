// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

/// The rules for a slot's state after any history (design, section 6).
struct SlotStateRuleTests {
  // MARK: The last error

  /// The last error after an event, from none, a locked keyring, an unusable item, a refused refresh and no network.
  @Test(arguments: [
    ("found old", "none none none refusal network"),
    ("found new", "none none none refusal network"),
    ("found refused", "refusal refusal refusal refusal refusal"),
    ("found locked", "none locked useless refusal network"),
    ("found none", "none none none refusal network"),
    ("found unusable", "useless useless useless useless useless"),
    ("store failed", "locked locked locked locked locked"),
    ("requesting", "none none none none none"),
    ("waiting", "none locked useless refusal network"),
    ("exchanging", "none locked useless refusal network"),
    ("declined", "declined declined declined declined declined"),
    ("expired", "expired expired expired expired expired"),
    ("cancelled", "none none none none none"),
    ("failed", "network network network network network"),
    ("signed in", "none none none none none"),
    ("refreshed", "none none none none none"),
    ("refresh refused", "refusal refusal refusal refusal refusal"),
    ("refresh failed", "network network network network network"),
    ("signed out", "none none none none none"),
    ("not revoked", "none locked useless refusal network"),
  ])
  func eachEventSetsKeepsOrClearsTheLastError(_ name: String, _ expected: String) throws {
    let errors: KeyValuePairs<String, CredentialError?> = [
      "none": nil, "locked": SlotStateTable.locked, "useless": .unusable("damaged"),
      "refusal": SlotStateTable.refusal,
      "network": SlotStateTable.network, "declined": .signIn(.declined), "expired": .signIn(.expired),
    ]
    let event = try #require(SlotStateTable.events.first { $0.key == name }).value
    for ((before, error), after) in zip(errors, expected.split(separator: " ")) {
      var state = SlotState()
      if let error { state.apply(.storeFailed(error)) }
      state.apply(event)
      #expect(state.lastError == errors.first { $0.key == after }?.value, "\(name) after \(before)")
    }
  }

  /// The reason belongs to the moment at which it becomes known, and not to a sign-in that follows.
  @Test func aKnownRefusalIsNoNewError() {
    let refused = SlotState.Event.foundRefused(SlotStateTable.ada, SlotStateTable.refusal, renewedAt: 100)
    var state = SlotState()
    state.apply(refused)
    #expect(state.lastError == SlotStateTable.refusal)
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
    state.apply(.revocationFailed(SlotStateTable.notRevoked))
    #expect(state.lastError == SlotStateTable.notRevoked)
    #expect(state.state == .signedOut)
    state.apply(.foundNone)
    #expect(state.lastError == SlotStateTable.notRevoked)
    state.apply(.signInProgress(.preparing))
    state.apply(.revocationFailed(SlotStateTable.notRevoked))
    #expect(state.lastError == nil)
    state.apply(.signedIn(SlotStateTable.ada))
    state.apply(.revocationFailed(SlotStateTable.notRevoked))
    #expect(state.lastError == nil)
  }

  // MARK: The code

  @Test func codeIsShownOnlyWhileUsable() {
    var state = SlotState()
    state.apply(.signInProgress(.preparing))
    #expect(state.signInStep?.deviceCode == nil)
    state.apply(.signInProgress(.waiting(.showCode(SlotStateTable.code))))
    #expect(state.signInStep?.deviceCode == SlotStateTable.code)
    for event in SlotStateTable.events.map(\.value) {
      var next = state
      next.apply(event)
      #expect(
        next.signInStep?.deviceCode
          == (next.deviceLinkState == .requestingCode || !next.deviceLinkState.isRunning ? nil : SlotStateTable.code))
    }
  }

  // MARK: Refusals and failures

  @Test func transientFailuresChangeOnlyTheLastError() {
    for (name, events) in SlotStateTable.storedStates {
      var state = SlotState()
      for event in events { state.apply(event) }
      let before = state
      for error in [
        SlotStateTable.network, SlotStateTable.locked, .keyringUnavailable("gone"),
        .signIn(.tokenExchangeFailed(status: 503, message: "")),
      ] {
        state.apply(.refreshFailed(error))
        state.apply(.storeFailed(error))
        #expect(state.state == before.state, "\(name)")
        #expect(state.accountInfo == before.accountInfo, "\(name)")
        #expect(state.lastError == error)
      }
    }
  }

  @Test func spentCredentialStaysSpentUntilANewerOneIsStored() {
    var state = SlotState()
    for event in [.found(SlotStateTable.ada, renewedAt: 100), .refreshRefused(SlotStateTable.refusal, renewedAt: 100)]
      as [SlotState.Event]
    {
      state.apply(event)
    }
    for event in [.found(SlotStateTable.ada, renewedAt: 100), .found(SlotStateTable.ada, renewedAt: 99), .foundLocked]
      as [SlotState.Event]
    {
      state.apply(event)
      #expect(state.state == .reauthenticationRequired)
      #expect(state.accountInfo == SlotStateTable.ada)
      #expect(state.lastError == SlotStateTable.refusal)
    }
    state.apply(.found(SlotStateTable.bob, renewedAt: 101))
    #expect(state.state == .signedIn)
    #expect(state.accountInfo == SlotStateTable.bob)
  }

  @Test func failedSignInKeepsASpentCredential() {
    var state = SlotState()
    state.apply(.found(SlotStateTable.ada, renewedAt: 100))
    state.apply(.refreshRefused(SlotStateTable.refusal, renewedAt: 100))
    state.apply(.signInProgress(.preparing))
    #expect(state.state == .signingIn)
    #expect(state.accountInfo == SlotStateTable.ada)
    state.apply(.signInFailed(.signIn(.declined)))
    #expect(state.state == .reauthenticationRequired)
  }
}
