// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK
@testable import ChappieService

/// The state machine of notifications, driven by the events of a slot.
struct SlotUpdatesTests {
  private static let ada = ChappieAccountInfo(accountID: "ada")
  private static let refused = SlotState.Event.refreshRefused(
    .signIn(.tokenExchangeFailed(status: 400, message: "invalid_grant")), renewedAt: 100)

  private static let signIn: [SlotState.Event] = [.signInProgress(.preparing), .signInProgress(.waiting(.code))]
  private static let inBrowser: [SlotState.Event] = [.signInProgress(.preparing), .signInProgress(.waiting(.page))]
  private static let linked: [SlotState.Event] = signIn + [.signInProgress(.exchanging), .signedIn(ada)]
  private static let found = SlotState.Event.found(ada, renewedAt: 100)
  private static let needed: [SlotState.Event] = [found, refused]

  private static func failed(_ error: ChappieAuthError) -> SlotState.Event { .signInFailed(.signIn(error)) }

  /// A slot and its updates.
  private struct Slot {
    private var state = SlotState()
    private var updates = SlotUpdates()

    init(_ events: [SlotState.Event] = [], quietly: Bool = false) {
      updates.observe(ChappieAuthSession.Snapshot(state), isAskedQuietly: quietly)
      apply(events, quietly: quietly)
    }

    mutating func apply(_ events: [SlotState.Event], quietly: Bool = false) {
      for event in events {
        state.apply(event)
        updates.observe(ChappieAuthSession.Snapshot(state), isAskedQuietly: quietly)
      }
    }

    mutating func ask() { updates.ask(ChappieAuthSession.Snapshot(state)) }
    mutating func wait() { updates.forgetBriefUpdate() }

    var update: SlotUpdates.Update { updates.update }
    var isIdle: Bool { updates.isIdle }
  }

  // MARK: Without a sign-in

  @Test func showsNothingIfNoActionIsNeeded() {
    for events in [
      [], [.foundNone], [Self.found], [.foundLocked], [.storeFailed(.locked("locked"))],
      [Self.found, .refreshFailed(.signIn(.network("down")))], [Self.found, .signedOut],
    ] as [[SlotState.Event]] {
      #expect(Slot(events).update == .none, "\(events)")
    }
    #expect(Slot([Self.found, .signedOut]).isIdle)
  }

  @Test func aRefusedRefreshAsksForASignIn() {
    var slot = Slot(Self.needed)
    #expect(slot.update == .needsSignIn(failure: nil))
    #expect(!slot.isIdle)
    slot.apply([.storeFailed(.locked("locked")), Self.found])
    slot.wait()
    #expect(slot.update == .needsSignIn(failure: nil))
  }

  @Test(arguments: [SlotState.Event.found(ada, renewedAt: 200), .signedOut, .foundNone])
  func theRequestEndsWithANewCredentialOrASignOut(_ event: SlotState.Event) {
    let slot = Slot(Self.needed + [event])
    #expect(slot.update == .none)
    #expect(slot.isIdle)
  }

  // MARK: A sign-in

  @Test(arguments: [SignInStep.code, .page])
  func theCodeOrPageReplacesTheRequestForASignIn(_ step: SignInStep) {
    var slot = Slot(Self.needed + [.signInProgress(.preparing)])
    #expect(slot.update == .needsSignIn(failure: nil))
    for progress in [SignInProgress.waiting(step), .exchanging, .verifying] {
      slot.apply([.signInProgress(progress)])
      #expect(slot.update == .waiting(step))
    }
    slot.apply([.signedIn(Self.ada)])
    #expect(slot.update == .linked(account: nil))
    slot.wait()
    #expect(slot.isIdle)
  }

  @Test func aNewAccountIsNamed() {
    let mail = ChappieAccountInfo(email: "ada@example.com")
    let other = SlotState.Event.found(ChappieAccountInfo(email: "grace@example.com"), renewedAt: 100)
    let same = SlotState.Event.found(mail, renewedAt: 100)
    for before in [SlotState.Event.foundNone, other] {
      #expect(Slot([before] + Self.inBrowser + [.signedIn(mail)]).update == .linked(account: "ada@example.com"))
    }
    #expect(Slot([same] + Self.inBrowser + [.signedIn(mail)]).update == .linked(account: nil))
  }

  @Test(arguments: [ChappieAuthError.cancelled, .declined, .expired])
  func aCancelledDeclinedOrExpiredSignInRestoresTheEarlierUpdate(_ error: ChappieAuthError) {
    for steps in [Self.signIn, Self.inBrowser] {
      #expect(Slot([.foundNone] + steps + [Self.failed(error)]).isIdle)
      #expect(Slot([Self.found] + steps + [Self.failed(error)]).isIdle)
      #expect(Slot(Self.needed + steps + [Self.failed(error)]).update == .needsSignIn(failure: nil))
    }
  }

  @Test func showsAFailureBrieflyIfACodeOrPageWasShown() {
    let error = ChappieAuthError.accountMismatch
    var slot = Slot([.foundNone, .signInProgress(.preparing)])
    #expect(slot.update == .none)
    #expect(!slot.isIdle)
    slot.apply([Self.failed(error)])
    #expect(slot.isIdle)
    slot.apply(Self.signIn + [Self.failed(error), .foundNone])
    #expect(slot.update == .failed(error.description))
    slot.wait()
    #expect(slot.isIdle)
    for steps in [Self.signIn, Self.inBrowser] {
      #expect(Slot([Self.found] + steps + [Self.failed(error)]).update == .failed(error.description))
    }
  }

  @Test func theRequestForASignInContainsTheLastFailure() {
    let error = ChappieAuthError.network("down")
    var slot = Slot(Self.needed + [.signInProgress(.preparing), Self.failed(error)])
    #expect(slot.update == .needsSignIn(failure: error.description))
    slot.apply(Self.signIn + [Self.failed(.cancelled)])
    #expect(slot.update == .needsSignIn(failure: nil))
  }

  @Test func theNextSignInOrASignOutEndsTheUpdateOfTheLast() {
    var slot = Slot(Self.linked + [.signInProgress(.preparing)])
    #expect(slot.update == .linked(account: nil))
    slot.apply([.signInProgress(.waiting(.page))])
    #expect(slot.update == .waiting(.page))
    slot.apply([Self.failed(.cancelled)])
    #expect(slot.isIdle)
    #expect(Slot(Self.linked + [.signedOut]).isIdle)
    #expect(Slot(Self.linked + [.refreshed(Self.ada)]).update == .linked(account: nil))
    #expect(Slot(Self.linked + [Self.refused]).update == .needsSignIn(failure: nil))
  }

  // MARK: Callers that show the code

  @Test func showsNothingOfAQuietSignIn() {
    for steps in [Self.signIn, Self.inBrowser] { #expect(Slot([.foundNone] + steps, quietly: true).update == .none) }
    #expect(Slot(Self.linked, quietly: true).isIdle)
    #expect(Slot([.foundNone] + Self.signIn + [Self.failed(.network("down"))], quietly: true).isIdle)
  }

  @Test func theRequestStaysDuringAQuietSignIn() {
    var slot = Slot(Self.needed)
    slot.apply([.signInProgress(.preparing), Self.failed(.network("down"))], quietly: true)
    #expect(slot.update == .needsSignIn(failure: nil))
    slot.apply(Self.signIn, quietly: true)
    #expect(slot.update == .needsSignIn(failure: nil))
    slot.apply([.signedIn(Self.ada)])
    #expect(slot.isIdle)
  }

  @Test func showsAQuietSignInAfterAnotherCallerAsks() {
    var slot = Slot([.foundNone])
    slot.ask()
    #expect(slot.isIdle)
    slot.apply(Self.signIn, quietly: true)
    #expect(slot.update == .none)
    slot.ask()
    #expect(slot.update == .waiting(.code))
    slot.apply([.signedIn(Self.ada)])
    #expect(slot.update == .linked(account: nil))
  }

  @Test func aQuietCallerDoesNotHideAVisibleSignIn() {
    var slot = Slot([.foundNone] + Self.signIn)
    slot.apply([.signInProgress(.exchanging)], quietly: true)
    #expect(slot.update == .waiting(.code))
  }
}
