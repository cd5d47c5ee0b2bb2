// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// A slot's reaction to its store's content, and to other processes' changes of it.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct SlotReadingTests {
  @Test func readsTheCredentialForEachUse() async throws {
    let fixture = SlotFixture(.credential(.test("old", account: "ada")))
    #expect(fixture.slot.state.state == .restoring)
    #expect(fixture.store.finds == 0)
    await fixture.slot.restore()
    for (name, account) in [("old", "ada"), ("other", "bob")] {
      fixture.store.item = .credential(.test(name, account: account))
      #expect(try await fixture.slot.accessGrant().name == name)
      #expect(fixture.slot.state.state == .signedIn)
      #expect(fixture.slot.state.accountInfo?.accountID == account)
    }
    #expect(fixture.method.refreshed.isEmpty)
  }

  @Test func tellsWhyThereIsNoCredential() async {
    let cases: [(FakeStore.Item, ChappieAuthState, CredentialError?, CredentialError)] = [
      (.none, .signedOut, nil, .missing),
      (.unusable(reason: "made elsewhere"), .signedOut, .unusable("made elsewhere"), .missing),
      (.locked, .signedIn, .keyringLocked, .keyringLocked),
      // Nothing is known: the user may be signed in or not.
      (.hidden, .restoring, .keyringLocked, .keyringLocked),
    ]
    for (item, state, lastError, failure) in cases {
      let fixture = SlotFixture(item)
      await fixture.slot.restore()
      #expect(fixture.slot.state.state == state, "\(item)")
      #expect(fixture.slot.state.accountInfo == nil, "\(item)")
      #expect(fixture.slot.state.lastError == lastError, "\(item)")
      await #expect(throws: failure, "\(item)") { try await fixture.slot.accessGrant() }
    }
    let read = await SlotFixture.signedIn()
    let before = read.slot.state
    for item in [FakeStore.Item.locked, .hidden] {
      read.store.item = item
      await read.slot.changedInStore()
      #expect(read.slot.state == before, "there was no request, so a silent store is no error")
    }
    await #expect(throws: CredentialError.keyringLocked) { try await read.slot.accessGrant() }
    #expect(read.slot.state.accountInfo?.accountID == "ada")
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
    let before = read.slot.state
    read.store.findError = error
    await read.slot.changedInStore()
    #expect(read.slot.state == before)
    await #expect(throws: error) { try await read.slot.accessGrant() }
    #expect(read.slot.state.state == .signedIn)
    #expect(read.slot.state.accountInfo?.accountID == "ada")
  }

  /// Another keyring may be present for one who was signed out.
  @Test func lockChangeReadsAllButAKnownAccountAgain() async {
    for item in [FakeStore.Item.none, .locked] {
      let fixture = SlotFixture(item)
      await fixture.slot.restore()
      fixture.store.item = .credential(.test("old", account: "ada"))
      await fixture.slot.lockChanged()
      #expect(fixture.slot.state.accountInfo?.accountID == "ada", "\(item)")
      #expect(fixture.slot.state.lastError == nil, "\(item)")
      let finds = fixture.store.finds
      await fixture.slot.lockChanged()
      #expect(fixture.store.finds == finds, "\(item)")
    }
    let unasked = SlotFixture(.none)
    await unasked.slot.lockChanged()
    #expect(unasked.slot.state.state == .signedOut)
  }

  @Test func adoptsAnotherProcessesSignInAndSignOut() async {
    let fixture = SlotFixture(.none)
    await fixture.slot.restore()
    fixture.store.item = .credential(.test("new", account: "grace"))
    await fixture.slot.changedInStore()
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.accountInfo?.accountID == "grace")
    await fixture.signIn()
    #expect(fixture.slot.state.deviceLinkState == .linked)
    fixture.store.item = .none
    await fixture.slot.changedInStore()
    #expect(fixture.slot.state.state == .signedOut)
    #expect(fixture.slot.state.deviceLinkState == .idle)
  }

  /// Concurrent reads are shared, but a running one may have missed a change.
  @Test func onlyAChangeDuringAReadCausesASecondRead() async {
    let fixture = SlotFixture(.credential(.test("old")))
    let looks = (0..<3).map { _ in Task.onGLib { await fixture.slot.look() } }
    for look in looks { await look.value }
    #expect(fixture.store.finds == 1)
    #expect(fixture.slot.state.state == .signedIn)
    let changes = [Task.onGLib { await fixture.slot.look() }, Task.onGLib { await fixture.slot.changedInStore() }]
    for change in changes { await change.value }
    #expect(fixture.store.finds == 3)
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

  @Test func observersGetEachChangeOnceInTheirOrder() async {
    let fixture = SlotFixture(.credential(.test("old")))
    var heard: [String] = []
    var observations = (0..<3).map { index in
      fixture.slot.observe { heard.append("\(index) \($0.new.state.rawValue)") }
    }
    await fixture.slot.restore()
    await fixture.slot.restore()
    withExtendedLifetime(observations) {}
    #expect(heard == ["0 signed-in", "1 signed-in", "2 signed-in"])
    observations = []
    fixture.store.item = .none
    await fixture.slot.restore()
    #expect(heard.count == 3)
  }
}
