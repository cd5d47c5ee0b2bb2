// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

/// The rules for a slot's state after any history (design, section 6).
struct SlotStateRuleTests {
  // MARK: The last error

  @Test func eachEventSetsKeepsOrClearsTheLastError() {
    let errors: KeyValuePairs<String, CredentialError?> = [
      "none": nil, "locked": SlotStateTable.locked, "useless": .unusable("damaged"),
      "refusal": SlotStateTable.refusal,
      "network": SlotStateTable.network, "declined": .signIn(.declined), "expired": .signIn(.expired),
    ]
    for (name, event, expected) in SlotStateTable.events {
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
    let refused = SlotState.Event.foundRefused(SlotStateTable.ada, SlotStateTable.refusal, renewedAt: 100)
    var state = SlotState()
    state.apply(refused)
    #expect(state.lastError == SlotStateTable.refusal)
    for event in [.found(SlotStateTable.ada, renewedAt: 99), .foundLocked] as [SlotState.Event] {
      state.apply(event)
      #expect(state.lastError == SlotStateTable.refusal && state.isSpent)
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
    for event in SlotStateTable.events.map(\.event) {
      var next = state
      next.apply(event)
      #expect(
        next.signInStep?.deviceCode
          == (next.deviceLinkState == .requestingCode || !next.deviceLinkState.isRunning ? nil : SlotStateTable.code))
    }
  }
}
