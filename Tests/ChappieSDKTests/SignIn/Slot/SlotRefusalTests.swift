// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// A slot's reaction to the token endpoint's refusals (design, section 6).
@GLibActor
struct SlotRefusalTests {
  private static let pause = CredentialSlot.refusalPause
  private static let refusal = ChappieAuthError.tokenExchangeFailed(status: 400, message: "invalid_grant")

  /// A slot whose credential was refused once.
  private func refused() async -> SlotFixture {
    let fixture = await SlotFixture.signedIn(isDue: true)
    fixture.method.onRefresh = { _ in throw Self.refusal }
    await expectRefusal(fixture)
    return fixture
  }

  private func expectRefusal(_ fixture: SlotFixture) async {
    await #expect(throws: CredentialError.reauthenticationRequired) { try await fixture.slot.accessGrant() }
    #expect(fixture.slot.state.state == .reauthenticationRequired)
  }

  private func stored(_ fixture: SlotFixture) throws -> Credential { try #require(fixture.store.credential) }

  @Test(arguments: [400, 401, 403])
  func firstRefusalNeedsASignInAndKeepsTheToken(_ status: Int) async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    let refusal = ChappieAuthError.tokenExchangeFailed(status: status, message: "invalid_grant")
    fixture.method.onRefresh = { _ in throw refusal }
    for _ in 0..<3 { await expectRefusal(fixture) }
    #expect(fixture.slot.state.accountInfo?.accountID == "ada")
    #expect(fixture.slot.state.lastError == .signIn(refusal))
    #expect(try stored(fixture).name == "old")
    #expect(try stored(fixture).refusedAt == fixture.time)
    #expect(fixture.method.refreshed == ["old"])
  }

  @Test func sendsNoRequestDuringThePause() async throws {
    let fixture = await refused()
    fixture.pass(seconds: Self.pause - 1)
    await expectRefusal(fixture)
    // Not after a 401 either.
    await #expect(throws: CredentialError.self) {
      try await fixture.slot.accessGrant(insteadOf: AccessGrant(stored(fixture)))
    }
    let restarted = await fixture.restarted()
    await expectRefusal(restarted)
    #expect(restarted.slot.state.accountInfo?.accountID == "ada")
    #expect(fixture.method.refreshed.count == 1)
    #expect(restarted.method.refreshed.isEmpty)
  }

  @Test(arguments: [false, true])
  func secondRefusalRemovesTheToken(afterRestart: Bool) async throws {
    let first = await refused()
    let fixture = await afterRestart ? first.restarted() : first
    fixture.pass(seconds: Self.pause)
    let earlier = fixture.method.refreshed.count
    let tasks = (0..<8).map { _ in Task { @GLibActor in _ = try? await fixture.slot.accessGrant() } }
    for task in tasks { await task.value }
    #expect(fixture.method.refreshed.count == earlier + 1)
    #expect(try stored(fixture).refreshToken == nil)
    #expect(try stored(fixture).claimedFacts.account.accountID == "ada")
    // No refresh token is left, so no later request follows.
    fixture.pass(seconds: 10 * Self.pause)
    for fixture in [fixture, await fixture.restarted()] {
      await expectRefusal(fixture)
      #expect(fixture.slot.state.accountInfo?.accountID == "ada")
    }
    #expect(fixture.method.refreshed.count == earlier + 1)
  }

  @Test(arguments: [false, true])
  func transientFailureIsNoSecondRefusal(afterRestart: Bool) async throws {
    let first = await refused()
    let fixture = await afterRestart ? first.restarted() : first
    fixture.pass(seconds: Self.pause)
    for failure in [ChappieAuthError.network("down"), .renewalFailed(status: 403, message: "")] {
      fixture.method.onRefresh = { _ in throw failure }
      await #expect(throws: CredentialError.signIn(failure)) { try await fixture.slot.accessGrant() }
      #expect(fixture.slot.state.state == .reauthenticationRequired)
      #expect(try stored(fixture).name == "old")
    }
    fixture.method.onRefresh = { _ in .test("new", account: "ada") }
    #expect(try await fixture.slot.accessGrant().name == "new")
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.lastError == nil)
    #expect(try stored(fixture).refusedAt == nil)
  }

  /// After a restart of the machine, only its uptime is a certain measure of the pause. A clock that goes back is none.
  @Test func neitherARebootNorAClockThatGoesBackShortensThePause() async throws {
    let fixture = await refused()
    let back = BootTime(bootID: fixture.time.bootID, seconds: 1)
    for time in [back, BootTime(bootID: "the next start", seconds: Self.pause - 1)] {
      fixture.time = time
      await expectRefusal(fixture)
      #expect(try stored(fixture).name == "old")
    }
    #expect(fixture.method.refreshed.count == 1)
    fixture.pass(seconds: 1)
    await expectRefusal(fixture)
    #expect(fixture.method.refreshed.count == 2)
    #expect(try stored(fixture).refreshToken == nil)
  }

  /// The token stays in the store, and this process remembers the refusal.
  @Test func remembersARefusalThatCannotBeStored() async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    fixture.method.onRefresh = { _ in throw Self.refusal }
    fixture.store.writeError = .keyringLocked
    for _ in 0..<2 { await expectRefusal(fixture) }
    #expect(fixture.method.refreshed.count == 1)
    #expect(try stored(fixture).refusedAt == nil)
    fixture.store.writeError = nil
    fixture.pass(seconds: Self.pause)
    fixture.method.onRefresh = { _ in .test("new") }
    #expect(try await fixture.slot.accessGrant().name == "new")
  }

  @Test(arguments: [false, true])
  func newSignInReplacesARefusedCredential(elsewhere: Bool) async throws {
    let fixture = await refused()
    let signedIn = Credential.test("signed-in", renewedAt: 101)
    if elsewhere { fixture.store.item = .credential(signedIn) } else { await fixture.signIn() }
    #expect(try await fixture.slot.accessGrant().name == "signed-in")
    #expect(fixture.slot.state.state == .signedIn)
    #expect(try stored(fixture).name == "signed-in")
    #expect(try stored(fixture).refusedAt == nil)
  }
}
