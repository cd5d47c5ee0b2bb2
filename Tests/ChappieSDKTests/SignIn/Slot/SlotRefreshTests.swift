// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory
import Testing

@testable import ChappieSDK

/// A slot's refresh of its credential (design, section 6).
@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct SlotRefreshTests {
  // MARK: The time of a refresh

  @Test func refreshesARejectedToken() async throws {
    let fixture = await SlotFixture.signedIn()
    let old = try await fixture.slot.accessGrant()
    #expect(try await fixture.slot.accessGrant(insteadOf: old).name == "new")
    #expect(fixture.method.refreshed == ["old"])
  }

  @Test func manyCallersShareOneRefresh() async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    let (started, gate) = fixture.holdRefresh()
    let callers = (0..<50).map { _ in Task { @GLibActor in try await fixture.slot.accessGrant().name } }
    await started.value()
    // There is one read for each caller, one for the refresh and one for the fixture.
    while fixture.store.finds < 52 { await Task.yield() }
    gate.finish()
    for caller in callers { #expect(try await caller.value == "new") }
    #expect(fixture.method.refreshed == ["old"])
    #expect(fixture.store.writes == 1)
    #expect(fixture.store.stored == "new")
  }

  // MARK: A fresher copy

  /// Even one that is due for a refresh too: the server's tokens may live for less than the margin.
  @Test(arguments: [60, 3600] as [Int64])
  func adoptsAFresherCredentialOfAnotherProcess(_ lifetime: Int64) async throws {
    let fixture = await SlotFixture.signedIn()
    let old = try await fixture.slot.accessGrant()
    fixture.store.item = .credential(.test("fresh", expiresAt: UnixTime.now + lifetime))
    #expect(try await fixture.slot.accessGrant(insteadOf: old).name == "fresh")
    #expect(fixture.method.refreshed.isEmpty)
    #expect(fixture.store.writes == 0)
  }

  // MARK: Stored before used

  @Test func storesATokenBeforeReturningIt() async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    let gate = Wait()
    fixture.store.writeGate = gate
    var returned: String?
    let caller = Task { @GLibActor in returned = try await fixture.slot.accessGrant().name }
    await fixture.store.writing.value()
    for _ in 0..<100 { await Task.yield() }
    #expect(returned == nil)
    gate.finish()
    try await caller.value
    #expect(returned == "new")
    #expect(fixture.store.stored == "new")
  }

  /// The server no longer accepts the old tokens, and only this process has the new ones.
  @Test(arguments: [CredentialError.keyringLocked, .keyringFailed("gone")])
  func keepsPendingTokensAfterAFailedWrite(_ error: CredentialError) async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    let old = AccessGrant(try #require(fixture.store.credential))
    fixture.store.writeError = error
    for _ in 0..<2 { await #expect(throws: error) { try await fixture.slot.accessGrant() } }
    // A turn with the old token gets a 401.
    await #expect(throws: error) { try await fixture.slot.accessGrant(insteadOf: old) }
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.lastError == error)
    fixture.store.writeError = nil
    #expect(try await fixture.slot.accessGrant(insteadOf: old).name == "new")
    #expect(fixture.method.refreshed == ["old"])
    #expect(fixture.store.stored == "new")
    #expect(fixture.slot.state.lastError == nil)
  }

  /// A refresh token is not redeemed while its successor cannot be stored.
  @Test func doesNotRedeemATokenWhileTheStoreIsLocked() async throws {
    let due = await SlotFixture.signedIn(isDue: true)
    due.store.unlockError = .keyringLocked
    let old = try await due.slot.accessGrant()
    #expect(old.name == "old")
    // An expired or rejected token is unusable.
    await #expect(throws: CredentialError.keyringLocked) { try await due.slot.accessGrant(insteadOf: old) }
    due.store.item = .credential(.test("expired", expiresAt: UnixTime.now - 1))
    await #expect(throws: CredentialError.keyringLocked) { try await due.slot.accessGrant() }
    #expect(due.method.refreshed.isEmpty)
    #expect(due.slot.state.state == .signedIn)
  }

  // MARK: Refused

  @Test func missingRefreshTokenNeedsASignIn() async throws {
    let fixture = await SlotFixture.signedIn(isDue: true, canBeRenewed: false)
    fixture.method.onRefresh = { _ in throw ChappieAuthError.missingRefreshToken }
    for _ in 0..<2 {
      await #expect(throws: CredentialError.signIn(.missingRefreshToken)) { try await fixture.slot.accessGrant() }
    }
    #expect(fixture.slot.state.lastError == .signIn(.missingRefreshToken))
    #expect(fixture.slot.state.state == .reauthenticationRequired)
  }

  // MARK: Transient

  @Test(arguments: [
    ChappieAuthError.network("down"), .tokenExchangeFailed(status: 500, message: ""),
    .tokenExchangeFailed(status: 429, message: ""), .invalidResponse("no token in it"),
  ])
  func transientFailureKeepsTheCredential(_ failure: ChappieAuthError) async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    fixture.method.onRefresh = { _ in throw failure }
    await #expect(throws: CredentialError.signIn(failure)) { try await fixture.slot.accessGrant() }
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.accountInfo?.accountID == "ada")
    #expect(fixture.slot.state.lastError == .signIn(failure))
    #expect(fixture.store.stored == "old")
    // The next use tries again and succeeds.
    fixture.method.onRefresh = { _ in .test("new") }
    #expect(try await fixture.slot.accessGrant().name == "new")
    #expect(fixture.slot.state.lastError == nil)
  }
}
