// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// A slot's refresh of its credential (design, section 6).
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct SlotRefreshTests {
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

  /// Even one that is due for a refresh too: the server's tokens may live for less than the margin.
  @Test(arguments: [60, 3600] as [Int64])
  func adoptsAFresherCredentialOfAnotherProcess(_ lifetime: Int64) async throws {
    let fixture = await SlotFixture.signedIn()
    let old = try await fixture.slot.accessGrant()
    fixture.store.item = .credential(.test("fresh", expiresAt: UnixTime.now + lifetime))
    let fresh = try await fixture.slot.accessGrant(insteadOf: old)
    #expect(fresh.name == "fresh" && fixture.method.refreshed.isEmpty && fixture.store.writes == 0)
    // There is no fresher one than that.
    #expect(try await fixture.slot.accessGrant(insteadOf: fresh).name == "new")
    #expect(fixture.method.refreshed == ["fresh"])
  }

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

  @Test func cancelledCallerReturnsBeforeTheRefreshEnds() async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    let (started, gate) = fixture.holdRefresh()
    let caller = Task { @GLibActor in _ = try await fixture.slot.accessGrant() }
    await started.value()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(fixture.store.stored == "old")
    gate.finish()
    await fixture.slot.settle()
    #expect(fixture.store.stored == "new")
  }

  @Test(arguments: [
    ChappieAuthError.network("down"), .tokenExchangeFailed(status: 500, message: ""), .invalidResponse("no token"),
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

  // MARK: Pending tokens, which the store did not take at first

  /// A slot with the pending credential `new`, because its store was locked.
  private func pending() async -> SlotFixture {
    let fixture = await SlotFixture.signedIn(isDue: true)
    fixture.store.writeError = .keyringLocked
    await #expect(throws: CredentialError.keyringLocked) { try await fixture.slot.accessGrant() }
    fixture.store.writeError = nil
    return fixture
  }

  @Test(arguments: [false, true])
  func pendingTokensAreStoredAtALockChangeOrTheEnd(_ isEnd: Bool) async throws {
    let fixture = await pending()
    if isEnd { await fixture.slot.settle() } else { await fixture.slot.lockChanged() }
    #expect(fixture.store.stored == "new")
    #expect(isEnd || fixture.slot.state.lastError == nil)
    #expect(try await fixture.slot.accessGrant().name == "new")
    #expect(fixture.method.refreshed == ["old"])
  }

  @Test func pendingTokensKeepTheirSlotAlive() async {
    var fixture: SlotFixture? = await pending()
    weak let slot = fixture?.slot
    fixture = nil
    #expect(slot != nil)
    await slot?.lockChanged()
    // The last task releases the slot at its end.
    while slot != nil { await Task.yield() }
  }

  @Test func anotherProcessesSignInOrSignOutDiscardsPendingTokens() async throws {
    let replaced = await pending()
    replaced.store.item = .credential(.test("other", account: "bob"))
    for _ in 0..<2 { #expect(try await replaced.slot.accessGrant().name == "other") }
    #expect(replaced.store.stored == "other")
    #expect(replaced.method.refreshed == ["old"])
    let removed = await pending()
    removed.store.item = .none
    await removed.slot.lockChanged()
    await #expect(throws: CredentialError.missing) { try await removed.slot.accessGrant() }
    #expect(removed.store.stored == nil)
    #expect(removed.slot.state.state == .signedOut)
  }

  /// Another process has tried the stored token, and the server has refused it.
  private func refuseElsewhere(_ fixture: SlotFixture) throws {
    var refused = try #require(fixture.store.credential)
    refused.refreshToken = nil
    refused.refusedAt = fixture.time
    fixture.store.item = .credential(refused)
  }

  @Test func aRefusalInAnotherProcessIsAdoptedUnlessTokensArePending() async throws {
    let pending = await pending()
    try refuseElsewhere(pending)
    #expect(try await pending.slot.accessGrant().name == "new")
    #expect(pending.store.stored == "new")
    #expect(pending.slot.state.state == .signedIn)
    // This one has waited for the lock.
    let fixture = await SlotFixture.signedIn()
    let rejected = try await fixture.slot.accessGrant()
    try refuseElsewhere(fixture)
    await #expect(throws: CredentialError.reauthenticationRequired) {
      try await fixture.slot.accessGrant(insteadOf: rejected)
    }
    #expect(fixture.method.refreshed.isEmpty)
    #expect(fixture.slot.state.state == .reauthenticationRequired)
  }
}
