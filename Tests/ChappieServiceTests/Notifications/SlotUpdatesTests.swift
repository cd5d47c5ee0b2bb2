// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import ChappieSDK
@testable import ChappieService

/// The state machine of notifications, driven by the events of a slot.
struct SlotUpdatesTests {
  private static let ada = ChappieAccountInfo(accountID: "ada")
  private static let code = ChappieDeviceCode(
    userCode: "ABCD-12345", verificationAddress: "https://example.org/codex/device", expiresAtSeconds: 1)
  private static let other = ChappieDeviceCode(
    userCode: "EFGH-67890", verificationAddress: "https://example.org/codex/device", expiresAtSeconds: 2)
  private static let refused = SlotState.Event.refreshRefused(
    .signIn(.tokenExchangeFailed(status: 400, message: "invalid_grant")), renewedAt: 100)

  private static let signIn: [SlotState.Event] = [
    .signInProgress(.preparing), .signInProgress(.waiting(.showCode(code))),
  ]
  private static let page = ChappieBrowserPage(
    authorizationAddress: "https://example.org/authorize", expiresAtSeconds: 1)
  private static let inBrowser: [SlotState.Event] = [
    .signInProgress(.preparing),
    .signInProgress(.waiting(.openPage(page, isElsewhere: false))),
  ]
  private static let linked: [SlotState.Event] = signIn + [.signInProgress(.exchanging), .signedIn(ada)]
  private static let found = SlotState.Event.found(ada, renewedAt: 100)
  private static let needed: [SlotState.Event] = [found, refused]

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
    #expect(Slot().update == .none)
    #expect(Slot([.foundNone]).update == .none)
    #expect(Slot([Self.found]).update == .none)
    #expect(Slot([.foundLocked]).update == .none)
    #expect(Slot([.storeFailed(.locked("locked"))]).update == .none)
    #expect(Slot([Self.found, .refreshFailed(.signIn(.network("down")))]).update == .none)
    #expect(Slot([Self.found, .signedOut]).isIdle)
  }

  @Test func aRefusedRefreshAsksForASignIn() {
    var slot = Slot(Self.needed)
    #expect(slot.update == .needsSignIn(failure: nil))
    #expect(!slot.isIdle)
    slot.apply([.storeFailed(.locked("locked")), Self.found])
    #expect(slot.update == .needsSignIn(failure: nil))
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

  @Test func theCodeReplacesTheRequestForASignIn() {
    var slot = Slot(Self.needed + [.signInProgress(.preparing)])
    #expect(slot.update == .needsSignIn(failure: nil))
    slot.apply([.signInProgress(.waiting(.showCode(Self.code)))])
    #expect(slot.update == .waiting(.showCode(Self.code)))
    slot.apply([.signInProgress(.exchanging)])
    #expect(slot.update == .waiting(.showCode(Self.code)))
    slot.apply([.signedIn(Self.ada)])
    #expect(slot.update == .linked(account: nil))
    slot.wait()
    #expect(slot.isIdle)
  }

  @Test func thePageReplacesTheRequestForASignIn() {
    var slot = Slot(Self.needed + Self.inBrowser)
    #expect(slot.update == .waiting(.openPage(Self.page, isElsewhere: false)))
    slot.apply([.signInProgress(.exchanging), .signInProgress(.verifying)])
    #expect(slot.update == .waiting(.openPage(Self.page, isElsewhere: false)))
    slot.apply([.signedIn(Self.ada)])
    #expect(slot.update == .linked(account: nil))
    #expect(Slot(Self.inBrowser, quietly: true).update == .none)
    #expect(
      Slot(Self.needed + Self.inBrowser + [.signInFailed(.signIn(.declined))]).update == .needsSignIn(failure: nil))
    let mismatch = ChappieAuthError.accountMismatch
    #expect(
      Slot([Self.found] + Self.inBrowser + [.signInFailed(.signIn(mismatch))]).update == .failed(mismatch.description))
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
    #expect(Slot([.foundNone] + Self.signIn + [.signInFailed(.signIn(error))]).isIdle)
    #expect(Slot([Self.found] + Self.signIn + [.signInFailed(.signIn(error))]).isIdle)
    #expect(Slot(Self.needed + Self.signIn + [.signInFailed(.signIn(error))]).update == .needsSignIn(failure: nil))
  }

  @Test func showsAFailureBrieflyIfACodeWasShown() {
    let error = ChappieAuthError.network("down")
    var slot = Slot([.foundNone, .signInProgress(.preparing)])
    #expect(slot.update == .none)
    #expect(!slot.isIdle)
    slot.apply([.signInFailed(.signIn(error))])
    #expect(slot.isIdle)
    slot.apply(Self.signIn + [.signInFailed(.signIn(error))])
    #expect(slot.update == .failed(error.description))
    slot.apply([.foundNone])
    #expect(slot.update == .failed(error.description))
    slot.wait()
    #expect(slot.isIdle)
    #expect(Slot([Self.found] + Self.signIn + [.signInFailed(.signIn(error))]).update == .failed(error.description))
  }

  @Test func theRequestForASignInContainsTheLastFailure() {
    let error = ChappieAuthError.network("down")
    let start: [SlotState.Event] = [.signInProgress(.preparing), .signInFailed(.signIn(error))]
    var slot = Slot(Self.needed + start)
    #expect(slot.update == .needsSignIn(failure: error.description))
    slot.apply(Self.signIn + [.signInFailed(.signIn(.cancelled))])
    #expect(slot.update == .needsSignIn(failure: nil))
  }

  @Test func theNextSignInEndsTheUpdateOfTheLast() {
    var slot = Slot(Self.linked + [.signInProgress(.preparing)])
    #expect(slot.update == .linked(account: nil))
    slot.apply([.signInProgress(.waiting(.showCode(Self.other)))])
    #expect(slot.update == .waiting(.showCode(Self.other)))
    slot.apply([.signInFailed(.signIn(.cancelled))])
    #expect(slot.isIdle)
  }

  @Test func aSignOutEndsTheUpdateOfASignIn() {
    #expect(Slot(Self.linked + [.signedOut]).isIdle)
    #expect(Slot(Self.linked + [.refreshed(Self.ada)]).update == .linked(account: nil))
    #expect(Slot(Self.linked + [Self.refused]).update == .needsSignIn(failure: nil))
  }

  // MARK: Callers that show the code

  @Test func showsNothingOfAQuietSignIn() {
    #expect(Slot([.foundNone] + Self.signIn, quietly: true).update == .none)
    #expect(Slot(Self.linked, quietly: true).isIdle)
    #expect(Slot([.foundNone] + Self.signIn + [.signInFailed(.signIn(.network("down")))], quietly: true).isIdle)
  }

  @Test func theRequestStaysDuringAQuietSignIn() {
    var slot = Slot(Self.needed)
    slot.apply([.signInProgress(.preparing), .signInFailed(.signIn(.network("down")))], quietly: true)
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
    #expect(slot.update == .waiting(.showCode(Self.code)))
    slot.apply([.signedIn(Self.ada)])
    #expect(slot.update == .linked(account: nil))
  }

  @Test func aQuietCallerDoesNotHideAVisibleSignIn() {
    var slot = Slot([.foundNone] + Self.signIn)
    slot.apply([.signInProgress(.exchanging)], quietly: true)
    #expect(slot.update == .waiting(.showCode(Self.code)))
  }
}
