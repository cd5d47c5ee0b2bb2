// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

/// A slot's reaction to its store's content.
@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct SlotReadingTests {
  @Test func stateIsRestoringBeforeTheFirstRead() {
    let fixture = SlotFixture(.credential(.test("old")))
    #expect(fixture.slot.state.state == .restoring)
    #expect(fixture.store.finds == 0)
  }

  @Test func storedCredentialMeansSignedIn() async throws {
    let fixture = await SlotFixture.signedIn()
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.accountInfo?.accountID == "ada")
    #expect(try await fixture.slot.accessGrant().name == "old")
    #expect(fixture.method.refreshed.isEmpty)
  }

  @Test func emptyStoreMeansSignedOut() async {
    let fixture = SlotFixture(.none)
    await fixture.slot.restore()
    #expect(fixture.slot.state.state == .signedOut)
    await #expect(throws: CredentialError.missing) { try await fixture.slot.accessGrant() }
  }

  @Test func lockedItemMeansSignedInButUnusable() async {
    let fixture = SlotFixture(.locked)
    await fixture.slot.restore()
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.accountInfo == nil)
    #expect(fixture.slot.state.lastError == CredentialError.keyringLocked)
    await #expect(throws: CredentialError.keyringLocked) { try await fixture.slot.accessGrant() }
  }

  /// Nothing is known: the user may be signed in or not.
  @Test func hiddenItemIsNoSignOut() async {
    let fixture = SlotFixture(.hidden)
    await fixture.slot.restore()
    #expect(fixture.slot.state.state == .restoring)
    #expect(fixture.slot.state.lastError == CredentialError.keyringLocked)
    let read = await SlotFixture.signedIn()
    read.store.item = .hidden
    await #expect(throws: CredentialError.keyringLocked) { try await read.slot.accessGrant() }
    #expect(read.slot.state.accountInfo?.accountID == "ada")
  }

  @Test func unusableItemMeansSignedOutWithAReason() async {
    let fixture = SlotFixture(.unusable(reason: "made elsewhere"))
    await fixture.slot.restore()
    #expect(fixture.slot.state.state == .signedOut)
    #expect(fixture.slot.state.lastError == .unusable("made elsewhere"))
  }

  /// A silent keyring never means signed out.
  @Test(arguments: [CredentialError.keyringLocked, .keyringFailed("hangs")])
  func failedReadChangesNothing(_ error: CredentialError) async {
    let unread = SlotFixture(.credential(.test("old")))
    unread.store.findError = error
    await unread.slot.restore()
    #expect(unread.slot.state.state == .restoring)
    #expect(unread.slot.state.lastError == error)

    let read = await SlotFixture.signedIn()
    read.store.findError = error
    await #expect(throws: error) { try await read.slot.accessGrant() }
    #expect(read.slot.state.state == .signedIn)
    #expect(read.slot.state.accountInfo?.accountID == "ada")
  }

  @Test func readsTheCredentialForEachUse() async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.store.item = .credential(.test("other", account: "bob"))
    #expect(try await fixture.slot.accessGrant().name == "other")
    #expect(fixture.slot.state.accountInfo?.accountID == "bob")
  }

  // MARK: Locks that change

  @Test func lockChangeReadsAnUnknownStateAgain() async {
    let locked = SlotFixture(.locked)
    await locked.slot.restore()
    locked.store.item = .credential(.test("old", account: "ada"))
    await locked.slot.lockChanged()
    #expect(locked.slot.state.accountInfo?.accountID == "ada")
    #expect(locked.slot.state.lastError == nil)

    let unasked = SlotFixture(.none)
    await unasked.slot.lockChanged()
    #expect(unasked.slot.state.state == .signedOut)
  }

  @Test func lockChangeDoesNotReadAKnownAccountAgain() async {
    let fixture = await SlotFixture.signedIn()
    await fixture.slot.restore()
    let finds = fixture.store.finds
    await fixture.slot.lockChanged()
    #expect(fixture.store.finds == finds)
  }

  /// Another keyring may be present now.
  @Test func lockChangeReadsASignedOutStateAgain() async {
    let fixture = SlotFixture(.none)
    await fixture.slot.restore()
    fixture.store.item = .credential(.test("new", account: "ada"))
    await fixture.slot.lockChanged()
    #expect(fixture.slot.state.state == .signedIn)
  }

  // MARK: Observers

  @Test func observersGetEachChangeOnce() async {
    let fixture = SlotFixture(.credential(.test("old")))
    var heard: [ChappieAuthState] = []
    var first: Observation? = fixture.slot.observe { heard.append($0.new.state) }
    await fixture.slot.restore()
    await fixture.slot.restore()
    #expect(heard == [.signedIn])
    withExtendedLifetime(first) {}
    first = nil
    fixture.store.item = .none
    await fixture.slot.restore()
    #expect(heard == [.signedIn])
  }

  @Test func observersRunInOrderOfRegistration() async {
    let fixture = SlotFixture(.none)
    var heard: [Int] = []
    let observations = (0..<5).map { index in fixture.slot.observe { _ in heard.append(index) } }
    await fixture.slot.restore()
    withExtendedLifetime(observations) {}
    #expect(heard == Array(0..<5))
  }
}
