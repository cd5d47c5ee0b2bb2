// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// A slot's sign-out. Afterwards nothing is stored, even if another operation was running.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct SlotSignOutTests {
  @Test func removesTheCredentialThenRevokesIt() async throws {
    let fixture = await SlotFixture.signedIn()
    try await fixture.slot.signOut(interaction: .forbidden)
    #expect(fixture.slot.state.state == .signedOut)
    #expect(fixture.slot.state.accountInfo == nil)
    #expect(fixture.store.stored == nil)
    #expect(await fixture.method.revocations() == ["old"])
    await #expect(throws: CredentialError.missing) { try await fixture.slot.accessGrant() }
    // It asks for the password only with permission.
    #expect(fixture.store.unlocks.isEmpty)
    fixture.store.unlockError = .keyringLocked
    await #expect(throws: CredentialError.keyringLocked) { try await fixture.slot.signOut(interaction: .allowed) }
    #expect(fixture.store.unlocks == [.allowed])
  }

  @Test func failedRevocationIsTheLastError() async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.method.revocationError = .revocationFailed("down")
    try await fixture.slot.signOut(interaction: .forbidden).value
    #expect(fixture.slot.state.state == .signedOut)
    #expect(fixture.slot.state.lastError == .signIn(.revocationFailed("down")))
    #expect(fixture.store.stored == nil)
  }

  @Test func succeedsWithoutACredential() async throws {
    for (item, deletes) in [(FakeStore.Item.none, 0), (.unusable(reason: "damaged"), 1)] {
      let fixture = SlotFixture(item)
      try await fixture.slot.signOut(interaction: .forbidden)
      #expect(fixture.slot.state.state == .signedOut)
      #expect(fixture.slot.state.lastError == nil)
      #expect(fixture.method.revoked.isEmpty)
      #expect(fixture.store.deletes == deletes)
    }
  }

  @Test(arguments: [CredentialError.keyringLocked, .keyringFailed("gone")])
  func failedDeletionKeepsTheState(_ error: CredentialError) async {
    let fixture = await SlotFixture.signedIn()
    fixture.store.deleteError = error
    await #expect(throws: error) { try await fixture.slot.signOut(interaction: .forbidden) }
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.accountInfo?.accountID == "ada")
    #expect(fixture.slot.state.lastError == error)
    #expect(fixture.store.stored == "old")
    #expect(fixture.method.revoked.isEmpty)
  }

  // MARK: During another operation

  /// Signs out while another process has the lock, and changes the store meanwhile.
  private func signOut(_ fixture: SlotFixture, _ change: @GLibActor (FakeStore) -> Void) async throws {
    var lock: FileLock? = try await SlotFileLock.take(fixture.slot.identity)
    let finds = fixture.store.finds
    let signOut = Task { @GLibActor in _ = try await fixture.slot.signOut(interaction: .forbidden) }
    while fixture.store.finds == finds { try await sleep(for: .milliseconds(5)) }
    change(fixture.store)
    withExtendedLifetime(lock) {}
    lock = nil
    try await signOut.value
  }

  /// Another process that has found nothing stored either is just being issued tokens, under the lock.
  @Test func endsTheSignInOfAnotherProcess() async throws {
    let fixture = SlotFixture(.none)
    try await signOut(fixture) { $0.item = .credential(.test("theirs")) }
    #expect(fixture.store.stored == nil)
    #expect(await fixture.method.revocations() == ["theirs"])
  }

  /// The keyring is locked while the sign-out waits for the lock of another process.
  @Test func aKeyringThatHidesTheCredentialKeepsIt() async {
    let fixture = await SlotFixture.signedIn()
    await #expect(throws: CredentialError.keyringLocked) { try await signOut(fixture) { $0.reading = .hidden } }
    #expect(fixture.store.stored == "old")
    #expect(fixture.store.deletes == 0)
    #expect(fixture.method.revoked.isEmpty)
  }

  @Test(arguments: [false, true])
  func endsARunningSignIn(_ isInItsWrite: Bool) async throws {
    let fixture = await SlotFixture.signedIn()
    let gate = Wait()
    if isInItsWrite {
      fixture.store.writeGate = gate
    } else {
      fixture.method.onCode {
        try await sleep(for: .seconds(3600))
        return .test("signed-in")
      }
    }
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    if isInItsWrite { await fixture.store.writing.value() }
    let signOut = Task { @GLibActor in _ = try await fixture.slot.signOut(interaction: .forbidden) }
    await Task.yield()
    gate.finish()
    try await signOut.value
    await fixture.until { !$0.deviceLinkState.isRunning }
    #expect(fixture.slot.state.state == .signedOut)
    #expect(fixture.slot.state.signInStep?.deviceCode == nil)
    #expect(fixture.store.stored == nil)
  }

  @Test func runningRefreshRestoresNothing() async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    let (started, gate) = fixture.holdRefresh()
    let caller = Task { @GLibActor in _ = try await fixture.slot.accessGrant() }
    await started.value()
    let signOut = Task { @GLibActor in _ = try await fixture.slot.signOut(interaction: .forbidden) }
    await Task.yield()
    gate.finish()
    try await signOut.value
    _ = await caller.result
    #expect(fixture.slot.state.state == .signedOut)
    #expect(fixture.store.stored == nil)
    // The server must revoke the latest tokens, not their invalid predecessors.
    #expect(await fixture.method.revocations() == ["new"])
  }

  @Test func revokesPendingTokens() async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    fixture.store.writeError = .keyringFailed("full")
    _ = try? await fixture.slot.accessGrant()
    try await fixture.slot.signOut(interaction: .forbidden)
    #expect(await fixture.method.revocations() == ["new"])
    await #expect(throws: CredentialError.missing) { try await fixture.slot.accessGrant() }
  }
}
