// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK
@testable import ChappieService

struct AvailabilityTests {
  private static let ada = ChappieAccountInfo(email: "ada@example.org")
  private static let declined = SlotState.Event.signInFailed(.signIn(.declined))
  private static let refused = SlotState.Event.refreshRefused(.reauthenticationRequired, renewedAt: 0)

  private static func holds(
    _ use: ChappiePlanUse = .enabled, _ rule: ChappieKeychainAccessibility = .whenUnlockedThisDeviceOnly
  ) -> [SlotState.Event] {
    let holding = SlotState.Holding(
      method: .browser, accessibility: rule, planUse: use, manageUsageURL: nil, needsBackgroundConsent: false)
    return [.holds(holding), .found(ada, renewedAt: 0)]
  }

  private static func availability(
    _ events: [SlotState.Event], _ lock: ChappieLockState = .unlocked, _ sources: [String] = []
  ) -> Availability {
    Availability(ChappieAuthSession.Snapshot(after: events), lock, sources)
  }

  private func expect(
    _ events: [SlotState.Event], _ action: Availability.Action, _ reason: ErrorName?, _ message: String,
    _ lock: ChappieLockState = .unlocked, _ sources: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = Self.availability(events, lock, sources)
    #expect(found.action == action, sourceLocation: sourceLocation)
    #expect(found.reason == reason, sourceLocation: sourceLocation)
    #expect(found.message.hasPrefix(message), "\(found.message)", sourceLocation: sourceLocation)
    #expect(found.message.isEmpty == message.isEmpty, sourceLocation: sourceLocation)
  }

  @Test func whoIsNotSignedInSignsIn() {
    let found = Self.availability(Self.holds())
    #expect(found.dictionary == ["can_ask": true, "reason": "", "message": "", "action": "none"])
    expect([], .signIn, .missingCredential, "Your browser opens a page")
    expect([.foundNone], .signIn, .missingCredential, "Your browser opens a page")
    expect([.foundNone, Self.declined], .signIn, .missingCredential, "The sign-in was declined")
    expect([Self.refused], .signIn, .reauthenticationRequired, "The server no longer accepts")
    expect([Self.refused, Self.declined], .signIn, .reauthenticationRequired, "The sign-in was")
  }

  /// A stored credential can still be used.
  @Test func aRunningSignInTellsItsStep() {
    let preparing = SlotState.Event.signInProgress(.preparing)
    expect([preparing], .signIn, .missingCredential, "Signing in…")
    expect(Self.holds() + [preparing], .signIn, nil, "Signing in…")
    expect([.signInProgress(.waiting(.code))], .signIn, .missingCredential, "Enter this code")
    expect([.signInProgress(.waiting(.page))], .signIn, .missingCredential, "Waiting for your browser")
  }

  @Test func thePlanMayRefuse() {
    let holds = Self.holds()
    expect(Self.holds(.notGranted), .allowPlanUse, .planUseNotGranted, "This sign-in does not")
    expect(holds + [.planUse(.notEligible)], .manageUsage, .planUseNotEligible, "ChatGPT does not")
    expect(holds + [.planUse(.limitReached)], .manageUsage, .usageLimitReached, "The limit of")
    expect(holds + [.planUse(.unavailable)], .none, nil, "")
  }

  @Test func aLockComesFirst() {
    let keyring = ["keyring", "logind"]
    for events in [[], [.foundNone], Self.holds(), Self.holds(.notGranted)] as [[SlotState.Event]] {
      expect(events, .unlock, .locked, "Your sign-in and your conversations are", .locked, keyring)
      expect(events, .wait, .locked, "Your sign-in and your conversations can", .locked, ["logind"])
    }
    // Nothing tells whether the screen is locked, and the configuration refuses then.
    let failed = SlotState.Event.storeFailed(.locked("Nothing here tells."))
    expect(Self.holds() + [failed], .wait, .locked, "Nothing here tells.", .unknown)
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
    expect([failed], .createKeyring, .keyringUnavailable, "The keyring cannot be used (it is gone)")
    expect(Self.holds() + [failed], .none, .keyringUnavailable, "The keyring cannot be used")
  }
}
