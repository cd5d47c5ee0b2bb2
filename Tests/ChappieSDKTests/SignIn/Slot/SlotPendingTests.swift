// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

/// Refreshed tokens that the store did not take at first. Only this process has them.
@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct SlotPendingTests {
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

  /// Another process has tried the stored token, and the server has refused it.
  private func refuseElsewhere(_ fixture: SlotFixture) throws {
    var refused = try #require(fixture.store.credential)
    refused.refreshToken = nil
    refused.refusedAt = fixture.time
    fixture.store.item = .credential(refused)
  }

  @Test func pendingTokensKeepTheirSlotAlive() async throws {
    var fixture: SlotFixture? = await pending()
    let store = try #require(fixture?.store)
    weak let slot = fixture?.slot
    fixture = nil
    #expect(slot != nil)
    await slot?.lockChanged()
    #expect(store.stored == "new")
    // The last task releases the slot at its end.
    while slot != nil { await Task.yield() }
  }

  @Test func pendingTokensReplaceARefusedCredential() async throws {
    let fixture = await pending()
    try refuseElsewhere(fixture)
    #expect(try await fixture.slot.accessGrant().name == "new")
    #expect(fixture.store.stored == "new")
    #expect(fixture.slot.state.state == .signedIn)
  }

  @Test func anotherProcessesSignInReplacesPendingTokens() async throws {
    let fixture = await pending()
    fixture.store.item = .credential(.test("other", account: "bob"))
    for _ in 0..<2 { #expect(try await fixture.slot.accessGrant().name == "other") }
    #expect(fixture.store.stored == "other")
    #expect(fixture.method.refreshed == ["old"])
  }

  @Test func anotherProcessesSignOutDiscardsPendingTokens() async throws {
    let fixture = await pending()
    fixture.store.item = .none
    await fixture.slot.lockChanged()
    await #expect(throws: CredentialError.missing) { try await fixture.slot.accessGrant() }
    #expect(fixture.store.stored == nil)
    #expect(fixture.slot.state.state == .signedOut)
  }

  // MARK: Refusals of other processes

  /// Another process's refresh was refused while this one waited for the lock.
  @Test func doesNotRetryATokenRefusedInAnotherProcess() async throws {
    let fixture = await SlotFixture.signedIn()
    let rejected = try await fixture.slot.accessGrant()
    try refuseElsewhere(fixture)
    await #expect(throws: CredentialError.reauthenticationRequired) {
      try await fixture.slot.accessGrant(insteadOf: rejected)
    }
    #expect(fixture.method.refreshed.isEmpty)
    #expect(fixture.slot.state.state == .reauthenticationRequired)
  }

  // MARK: Cancelled callers

  @Test func cancelledCallerReturnsBeforeTheRefreshEnds() async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    let (started, gate) = (Wait(), Wait())
    fixture.method.onRefresh = { _ in
      started.finish()
      await gate.value()
      try Task.checkCancellation()
      return .test("new")
    }
    let caller = Task { @GLibActor in _ = try await fixture.slot.accessGrant() }
    await started.value()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(fixture.store.stored == "old")
    gate.finish()
    await fixture.slot.settle()
    #expect(fixture.store.stored == "new")
  }
}
