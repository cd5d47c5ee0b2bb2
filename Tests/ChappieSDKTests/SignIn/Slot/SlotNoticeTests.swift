// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

/// A slot's reaction to other processes' changes of its store.
@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct SlotNoticeTests {
  @Test func adoptsAnotherProcessesSignIn() async {
    let fixture = SlotFixture(.none)
    await fixture.slot.restore()
    fixture.store.item = .credential(.test("new", account: "grace"))
    await fixture.slot.changedInStore()
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.accountInfo?.accountID == "grace")
  }

  @Test func adoptsAnotherProcessesSignOut() async throws {
    let fixture = SlotFixture(.none)
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.until { $0.deviceLinkState == .linked }
    fixture.store.item = .none
    await fixture.slot.changedInStore()
    #expect(fixture.slot.state.state == .signedOut)
    #expect(fixture.slot.state.deviceLinkState == .idle)
  }

  /// There was no request, so a silent store is no error.
  @Test func unreadableStoreChangesNothing() async {
    let fixture = await SlotFixture.signedIn()
    let before = fixture.slot.state
    for item in [FakeStore.Item.locked, .hidden] {
      fixture.store.item = item
      await fixture.slot.changedInStore()
      #expect(fixture.slot.state == before)
    }
    fixture.store.findError = .keyringFailed("hangs")
    await fixture.slot.changedInStore()
    #expect(fixture.slot.state == before)
  }

  /// A running read may have missed the change.
  @Test func changeDuringAReadCausesASecondRead() async {
    let fixture = await SlotFixture.signedIn()
    let finds = fixture.store.finds
    let looks = [Task.onGLib { await fixture.slot.look() }, Task.onGLib { await fixture.slot.changedInStore() }]
    for look in looks { await look.value }
    #expect(fixture.store.finds == finds + 2)
  }

  @Test func concurrentReadsAreShared() async {
    let fixture = SlotFixture(.credential(.test("old")))
    let looks = (0..<3).map { _ in Task.onGLib { await fixture.slot.look() } }
    for look in looks { await look.value }
    #expect(fixture.store.finds == 1)
    #expect(fixture.slot.state.state == .signedIn)
  }

  /// A new session reads a known slot again, even without a signal of a change.
  @Test func newSessionReadsTheStore() async {
    let configuration = ChappieConfiguration(keychainService: "org.example.new-session")
    let store = FakeStore()
    SlotRegistry.seed(SlotIdentity(configuration), with: store)
    let first = ChappieAuthSession(configuration: configuration)
    #expect(await first.restored() == .signedOut)
    store.item = .locked
    let second = ChappieAuthSession(configuration: configuration)
    #expect(await second.restored() == .signedIn)
    #expect(first.state == .signedIn)
  }
}
