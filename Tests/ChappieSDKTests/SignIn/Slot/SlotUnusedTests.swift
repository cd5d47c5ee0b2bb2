// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The sign-ins of a slot that the server is to end.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct SlotUnusedTests {
  private typealias FakeList = FakeSlotStore<UnusedSignIns>

  @Test func theListHasABound() {
    let list = UnusedSignIns((0..<40).map { .test("unused-\($0)") })
    #expect(list.credentials.map(\.name) == (24..<40).map { "unused-\($0)" })
  }

  /// What another issuer has issued waits for a process that serves it.
  @Test(arguments: [false, true]) func anotherIssuersSignInWaits(_ isFinal: Bool) async throws {
    let elsewhere = CredentialServers(issuer: "https://other.example", backend: "")
    let list = FakeList([.test("other", servers: elsewhere), .test("own")])
    let fixture = SlotFixture(.none, unused: list)
    #expect((await fixture.slot.revokeUnused(isFinal: isFinal) == nil) == !isFinal, "a sign-out tells of it")
    #expect(fixture.method.revoked == ["own"])
    #expect(list.names == (isFinal ? [] : ["other"]))
  }

  /// The server ends a sign-in by itself after 30 days.
  @Test func aFailureIsTriedAgainForAMonth() async throws {
    let list = FakeList([.test("old", renewedAt: .now - 31 * 86400), .test("new", renewedAt: .now - 86400)])
    let fixture = SlotFixture(.none, unused: list)
    fixture.method.revocationError = .revocationFailed("down")
    _ = await fixture.slot.revokeUnused()
    #expect(list.names == ["old", "new"], "this machine's clock proves nothing")
    fixture.method.clock.note(.now)
    _ = await fixture.slot.revokeUnused()
    #expect(list.names == ["new"])
  }

  /// The server may have issued the tokens when the user cancels.
  @Test func aSignInThatIsCancelledWhileItIsIssuedIsEnded() async throws {
    let fixture = SlotFixture(.none, unused: FakeList())
    let (asked, answer) = (Wait(), Wait())
    fixture.method.onIssue = {
      asked.finish()
      await answer.value()
    }
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    await asked.value()
    fixture.slot.cancelSignIn()
    // Nobody waits for a server that does not answer.
    await fixture.until { $0.deviceLinkState == .cancelled }
    answer.finish()
    #expect(await fixture.method.revocations() == ["signed-in"])
    #expect(fixture.store.writes == 0)
  }

  /// The screen is locked when the user approves elsewhere: the account of the start counts.
  @Test(arguments: [true, false]) func anUnreadableAccountIsNotReplacedByAnother(_ wasReadable: Bool) async throws {
    let fixture = SlotFixture(.credential(.test("old", user: "ada")))
    await fixture.slot.restore()
    if !wasReadable { fixture.store.reading = .locked }
    fixture.method.onIssue = { fixture.store.reading = .locked }
    fixture.method.onCode { .test("another's", user: "another") }
    await fixture.signIn()
    #expect(fixture.slot.state.deviceLinkState == .failed)
    #expect(await fixture.method.revocations() == ["another's"])
    #expect(fixture.store.stored == "old")
  }

  /// A server that ends nothing is not asked again for each sign-in.
  @Test func aRunThatWaitedEndsOnlyWhatIsNew() async throws {
    let fixture = SlotFixture(.none, unused: FakeList([.test("one"), .test("two")]))
    fixture.method.revocationError = .revocationFailed("down")
    let (asked, answer) = fixture.holdRevocations()
    let first = Task.onGLib { await fixture.slot.revokeUnused() }
    await asked.value()
    let second = Task.onGLib { await fixture.slot.revokeUnused([.test("three")]) }
    for _ in 0..<100 { await Task.yield() }
    answer.finish()
    _ = await (first.value, second.value)
    #expect(fixture.method.revoked == ["one", "two", "three"])
  }

  /// A sign-out meets the run of the start, which has found what the sign-out has listed.
  @Test(arguments: [false, true]) func aSignOutEndsWhatTheRunBeforeItDidNot(_ fails: Bool) async throws {
    let list = FakeList([.test("one")])
    let fixture = SlotFixture(.none, unused: list)
    if fails { fixture.method.revocationError = .revocationFailed("down") }
    let (asked, answer) = fixture.holdRevocations()
    let first = Task.onGLib { await fixture.slot.revokeUnused() }
    await asked.value()
    let second = Task.onGLib { await fixture.slot.revokeUnused([.test("one"), .test("two")], isFinal: true) }
    for _ in 0..<100 { await Task.yield() }
    answer.finish()
    #expect((await first.value == nil, await second.value == nil) == (!fails, !fails))
    #expect(fixture.method.revoked == (fails ? ["one", "one", "two"] : ["one", "two"]))
    #expect(list.names.isEmpty)
  }

  /// The tokens of a renewal that proves another user are listed until the server has ended them.
  @Test func anUnusableRenewalIsListedAndEnded() async throws {
    let list = FakeList()
    let fixture = SlotFixture(
      .credential(.test("old", account: "ada", expiresAt: UnixTime.now + 60)), method: FakeSignIn(redeemsOnce: true),
      unused: list)
    await fixture.slot.restore()
    fixture.method.onRefresh = { _ in
      throw UnusableRenewal(credential: .test("another's"), error: .ended("another user"))
    }
    fixture.method.revocationError = .revocationFailed("down")
    await #expect(throws: CredentialError.reauthenticationRequired) { try await fixture.slot.accessGrant() }
    #expect(list.names == ["another's"])
    _ = await fixture.method.revocations()
    fixture.method.revocationError = nil
    _ = await fixture.slot.revokeUnused()
    #expect(list.names.isEmpty)
  }
}
