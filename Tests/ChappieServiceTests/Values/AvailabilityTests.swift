// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TestSupport
import Testing

@testable import ChappieSDK
@testable import ChappieService

struct AvailabilityTests {
  private static let ada = ChappieAccountInfo(email: "ada@example.org")
  private static let declined = SlotState.Event.signInFailed(.signIn(.declined))
  private static let refused = SlotState.Event.refreshRefused(.reauthenticationRequired, renewedAt: 0)

  private static func holds(
    _ use: ChappiePlanUse = .enabled, _ rule: ChappieKeychainAccessibility = .whenUnlockedThisDeviceOnly
  ) -> [SlotState.Event] {
    [
      .holds(
        SlotState.Holding(
          method: .browser, accessibility: rule, planUse: use, manageUsageURL: nil, needsBackgroundConsent: false)),
      .found(ada, renewedAt: 0),
    ]
  }

  private static func availability(
    _ events: [SlotState.Event], _ lock: ChappieLockState = .unlocked, _ sources: [String] = []
  ) -> Availability {
    var state = SlotState()
    for event in events { state.apply(event) }
    return Availability(ChappieAuthSession.Snapshot(state), lock, sources)
  }

  private func expect(
    _ found: Availability, _ action: Availability.Action, _ reason: ErrorName?, _ message: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(found.action == action, sourceLocation: sourceLocation)
    #expect(found.reason == reason, sourceLocation: sourceLocation)
    #expect(found.message.hasPrefix(message), "\(found.message)", sourceLocation: sourceLocation)
    #expect(found.message.isEmpty == message.isEmpty, sourceLocation: sourceLocation)
  }

  @Test func whoIsNotSignedInSignsIn() {
    let found = Self.availability(Self.holds())
    #expect(found.dictionary == ["can_ask": true, "reason": "", "message": "", "action": "none"])
    expect(Self.availability([]), .signIn, .missingCredential, "Your browser opens a page")
    expect(Self.availability([.foundNone]), .signIn, .missingCredential, "Your browser opens a page")
    expect(Self.availability([.foundNone, Self.declined]), .signIn, .missingCredential, "The sign-in was declined")
    expect(Self.availability([Self.refused]), .signIn, .reauthenticationRequired, "The server no longer accepts")
    expect(Self.availability([Self.refused, Self.declined]), .signIn, .reauthenticationRequired, "The sign-in was")
  }

  /// A stored credential can still be used.
  @Test func aRunningSignInTellsItsStep() {
    let preparing = SlotState.Event.signInProgress(.preparing)
    let code = ChappieDeviceCode(userCode: "A-1", verificationAddress: "https://example.org", expiresAtSeconds: 7)
    expect(Self.availability([preparing]), .signIn, .missingCredential, "Signing in…")
    expect(Self.availability(Self.holds() + [preparing]), .signIn, nil, "Signing in…")
    expect(
      Self.availability([.signInProgress(.waiting(.showCode(code)))]), .signIn, .missingCredential, "Enter this code")
    let page = ChappieBrowserPage(authorizationAddress: "https://example.org", expiresAtSeconds: 7)
    expect(
      Self.availability([.signInProgress(.waiting(.openPage(page, isElsewhere: false)))]), .signIn,
      .missingCredential, "Waiting for your browser")
  }

  @Test func thePlanMayRefuse() {
    expect(Self.availability(Self.holds(.notGranted)), .allowPlanUse, .planUseNotGranted, "This sign-in does not")
    expect(
      Self.availability(Self.holds() + [.planUse(.notEligible)]), .manageUsage, .planUseNotEligible, "ChatGPT does not")
    expect(
      Self.availability(Self.holds() + [.planUse(.limitReached)]), .manageUsage, .usageLimitReached, "The limit of")
    expect(Self.availability(Self.holds() + [.planUse(.unavailable)]), .none, nil, "")
  }

  @Test func aLockComesFirst() {
    let keyring = ["keyring", "logind"]
    for events in [[], [.foundNone], Self.holds(), Self.holds(.notGranted)] as [[SlotState.Event]] {
      expect(Self.availability(events, .locked, keyring), .unlock, .locked, "Your sign-in and your conversations are")
      expect(Self.availability(events, .locked, ["logind"]), .wait, .locked, "Your sign-in and your conversations can")
    }
    // Nothing tells whether the screen is locked, and the configuration refuses then.
    expect(
      Self.availability(Self.holds() + [.storeFailed(.locked("Nothing here tells."))], .unknown), .wait, .locked,
      "Nothing here tells.")
  }

  /// Stored conversations cannot be read then, so the user still unlocks something.
  @Test func aCredentialForAfterTheFirstUnlockCanBeUsedWhileLocked() {
    let events = Self.holds(.enabled, .afterFirstUnlockThisDeviceOnly)
    #expect(Self.availability(events, .locked, ["keyring"]).reason == nil)
    #expect(Self.availability(events, .locked, ["keyring"]).action == .unlock)
    #expect(Self.availability(events, .locked, ["logind"]).reason == nil)
    #expect(Self.availability(events, .beforeFirstUnlock, ["keyring"]).reason == .locked)
  }

  @Test func aKeyringThatDoesNotAnswerSignsNobodyOut() {
    let failed = SlotState.Event.storeFailed(.keyringFailed("it is gone"))
    expect(Self.availability([failed]), .createKeyring, .keyringUnavailable, "The keyring cannot be used (it is gone)")
    expect(Self.availability(Self.holds() + [failed]), .none, .keyringUnavailable, "The keyring cannot be used")
  }
}
