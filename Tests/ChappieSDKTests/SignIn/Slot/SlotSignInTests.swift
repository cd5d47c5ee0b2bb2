// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

/// A slot's sign-in.
@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct SlotSignInTests {
  /// Issues a code for each sign-in, `CODE-1`, `CODE-2`, …, then waits for `approval`.
  private static func waitForApproval(_ fixture: SlotFixture, _ approval: Wait) {
    fixture.method.onSignIn = { progress in
      progress(.preparing)
      progress(.waiting(.showCode(FakeSignIn.code("CODE-\(fixture.method.signIns)"))))
      await withTaskCancellationHandler {
        await approval.value()
      } onCancel: {
        Task { @GLibActor in approval.finish() }
      }
      try Task.checkCancellation()
      progress(.exchanging)
      return .test("signed-in", account: "bob")
    }
  }

  // MARK: Success

  @Test func oldCredentialIsKeptUntilTheSignInSucceeds() async throws {
    let fixture = await SlotFixture.signedIn()
    let approval = Wait()
    Self.waitForApproval(fixture, approval)
    let code = try await fixture.slot.startSignIn(interaction: .forbidden)
    #expect(code == FakeSignIn.code("CODE-1"))
    #expect(fixture.slot.state.state == .signingIn)
    #expect(fixture.slot.state.deviceLinkState == .waitingForApproval)
    #expect(fixture.slot.state.signInStep?.deviceCode == code)
    #expect(fixture.store.stored == "old")
    #expect(try await fixture.slot.accessGrant().name == "old")

    approval.finish()
    await fixture.until { $0.deviceLinkState == .linked }
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.accountInfo?.accountID == "bob")
    #expect(fixture.slot.state.signInStep?.deviceCode == nil)
    #expect(fixture.store.stored == "signed-in")
    #expect(fixture.store.deletes == 0)
    // The server revokes the replaced credential and nothing else.
    await fixture.method.revocationRequested()
    #expect(fixture.method.revoked == ["old"])
  }

  /// A revocation of the shared token would end the new sign-in.
  @Test func doesNotRevokeATokenOfTheNewSignIn() async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.method.onSignIn = { progress in
      progress(.waiting(.showCode(FakeSignIn.code("CODE-1"))))
      return .test("old", account: "ada")
    }
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.until { $0.deviceLinkState == .linked }
    fixture.method.onSignIn = { progress in
      progress(.waiting(.showCode(FakeSignIn.code("CODE-2"))))
      return .test("last", account: "ada")
    }
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.method.revocationRequested()
    #expect(fixture.method.revoked == ["old"])
  }

  @Test func failedRevocationDoesNotFailTheSignIn() async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.method.revocationError = .revocationFailed("down")
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.until { $0.deviceLinkState == .linked }
    await fixture.method.revocationRequested()
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.lastError == nil)
  }

  @Test func signInGoesThroughItsStages() async throws {
    let fixture = SlotFixture(.none)
    let approval = Wait()
    Self.waitForApproval(fixture, approval)
    var stages: [ChappieDeviceLinkState] = []
    let observation = fixture.slot.observe { stages.append($0.new.deviceLinkState) }
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    approval.finish()
    await fixture.until { $0.deviceLinkState == .linked }
    withExtendedLifetime(observation) {}
    #expect(stages == [.requestingCode, .waitingForApproval, .exchanging, .linked])
  }

  @Test func signInEndsTheNeedForOne() async throws {
    let fixture = await SlotFixture.signedIn(isDue: true)
    fixture.method.onRefresh = { _ in throw ChappieAuthError.tokenExchangeFailed(status: 400, message: "") }
    _ = try? await fixture.slot.accessGrant()
    let approval = Wait()
    Self.waitForApproval(fixture, approval)
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    approval.finish()
    await fixture.until { $0.deviceLinkState == .linked }
    #expect(fixture.slot.state.state == .signedIn)
    #expect(try await fixture.slot.accessGrant().name == "signed-in")
  }

  /// The user approves before the caller resumes.
  @Test func quickApprovalStillGivesTheCode() async throws {
    let fixture = SlotFixture(.none)
    #expect(try await fixture.slot.startSignIn(interaction: .forbidden) == FakeSignIn.code("CODE-1"))
    await fixture.until { $0.deviceLinkState == .linked }
  }

  // MARK: During the write

  /// The store may have replaced the old credential already. The new one is therefore neither cancelled nor revoked,
  /// and the old one is revoked.
  @Test func cancellingDuringTheWriteHasNoEffect() async throws {
    let fixture = await SlotFixture.signedIn()
    let gate = Wait()
    fixture.store.writeGate = gate
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.store.writing.value()
    fixture.slot.cancelSignIn()
    for _ in 0..<100 { await Task.yield() }
    gate.finish()
    await fixture.until { !$0.deviceLinkState.isRunning }
    #expect(fixture.slot.state.deviceLinkState == .linked)
    #expect(fixture.store.stored == "signed-in")
    await fixture.method.revocationRequested()
    #expect(fixture.method.revoked == ["old"])
  }

  /// A stored credential is not revoked, even if the store reported a failure.
  @Test func doesNotRevokeAStoredCredentialAfterAFailedWrite() async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.store.writeError = .keyringFailed("it took too long")
    fixture.store.storesDespiteErrors = true
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.until { $0.deviceLinkState == .failed }
    for _ in 0..<100 { await Task.yield() }
    #expect(fixture.method.revoked.isEmpty)
    #expect(try await fixture.slot.accessGrant().name == "signed-in")
  }

  /// The store reports a failure, and cannot be read either.
  @Test(arguments: [FakeStore.Reading.failing, .locked, .hidden])
  func doesNotRevokeWhatAnUnreadableStoreMayHave(_ reading: FakeStore.Reading) async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.store.writeError = .keyringFailed("it took too long")
    fixture.store.storesDespiteErrors = true
    fixture.store.readingAfterWrite = reading
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.until { $0.deviceLinkState == .failed }
    _ = await fixture.slot.revokeUnused()
    #expect(fixture.method.revoked.isEmpty)
    fixture.store.reading = .open
    #expect(try await fixture.slot.accessGrant().name == "signed-in")
  }

  /// Nothing was offered to the store, so nobody can use the new sign-in.
  @Test func revokesWhatALockedStoreDidNotTake() async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.method.onIssue = {
      fixture.store.unlockError = .keyringLocked
      fixture.store.reading = .locked
    }
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.until { $0.deviceLinkState == .failed }
    await fixture.method.revocationRequested()
    #expect(fixture.method.revoked == ["signed-in"])
  }

  // MARK: More than one

  @Test func secondStartReturnsTheSameCode() async throws {
    let fixture = SlotFixture(.none)
    let approval = Wait()
    Self.waitForApproval(fixture, approval)
    let starts = (0..<5).map { _ in Task { @GLibActor in try await fixture.slot.startSignIn(interaction: .forbidden) } }
    for start in starts { #expect(try await start.value.userCode == "CODE-1") }
    #expect(try await fixture.slot.startSignIn(interaction: .forbidden).userCode == "CODE-1")
    #expect(fixture.method.signIns == 1)
    approval.finish()
    await fixture.until { $0.deviceLinkState == .linked }
  }

  @Test func startAfterTheEndIsANewSignIn() async throws {
    let fixture = SlotFixture(.none)
    for number in 1...3 {
      let approval = Wait()
      Self.waitForApproval(fixture, approval)
      #expect(try await fixture.slot.startSignIn(interaction: .forbidden).userCode == "CODE-\(number)")
      approval.finish()
      await fixture.until { $0.deviceLinkState == .linked }
    }
    #expect(fixture.method.signIns == 3)
  }

  /// The code of a cancelled sign-in is invalid, even before that sign-in has ended.
  @Test func startAfterACancelReturnsANewCode() async throws {
    let fixture = SlotFixture(.none)
    Self.waitForApproval(fixture, Wait())
    #expect(try await fixture.slot.startSignIn(interaction: .forbidden).userCode == "CODE-1")
    fixture.slot.cancelSignIn()
    Self.waitForApproval(fixture, Wait())
    #expect(try await fixture.slot.startSignIn(interaction: .forbidden).userCode == "CODE-2")
    #expect(fixture.method.signIns == 2)
    fixture.slot.cancelSignIn()
    await fixture.until { $0.deviceLinkState == .cancelled }
  }

  // MARK: Cancelling

  @Test func cancellingKeepsTheOldCredential() async throws {
    let fixture = await SlotFixture.signedIn()
    Self.waitForApproval(fixture, Wait())
    _ = try await fixture.slot.startSignIn(interaction: .forbidden)
    fixture.slot.cancelSignIn()
    await fixture.until { $0.deviceLinkState == .cancelled }
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.signInStep?.deviceCode == nil)
    #expect(fixture.slot.state.lastError == nil)
    #expect(fixture.store.stored == "old")
    #expect(fixture.store.writes == 0)
  }

  @Test func cancellingThrowsToTheCallerWaitingForTheCode() async {
    let fixture = SlotFixture(.none)
    let asked = Wait()
    fixture.method.onSignIn = { _ in
      asked.finish()
      try await sleep(for: .seconds(3600))
      throw CancellationError()
    }
    let start = Task { @GLibActor in _ = try await fixture.slot.startSignIn(interaction: .forbidden) }
    await asked.value()
    fixture.slot.cancelSignIn()
    await #expect(throws: CredentialError.signIn(.cancelled)) { try await start.value }
  }

  @Test func cancellingWithoutASignInChangesNothing() async {
    let fixture = await SlotFixture.signedIn()
    fixture.slot.cancelSignIn()
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.deviceLinkState == .idle)
  }

  // MARK: Failing

  @Test(arguments: [
    (ChappieAuthError.declined, ChappieDeviceLinkState.declined), (.expired, .expired), (.network("down"), .failed),
    (.tokenExchangeFailed(status: 400, message: ""), .failed),
  ])
  func failedSignInKeepsTheOldCredential(_ error: ChappieAuthError, _ link: ChappieDeviceLinkState) async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.method.onSignIn = { progress in
      progress(.waiting(.showCode(FakeSignIn.code("CODE-1"))))
      throw error
    }
    _ = try? await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.until { !$0.deviceLinkState.isRunning }
    #expect(fixture.slot.state.deviceLinkState == link)
    #expect(fixture.slot.state.lastError == .signIn(error))
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.store.stored == "old")
  }

  @Test(arguments: [false, true])
  func anotherAccountReplacesNothingUnlessItMay(_ mayReplace: Bool) async {
    func credential(_ name: String) -> Credential {
      var credential = Credential.test(name)
      credential.idToken = TestTokens.jwt("{\"email\":\"\(name)@example.com\"}")
      return credential
    }
    let fixture = SlotFixture(.credential(credential("ada")))
    fixture.method.onSignIn = { progress in
      progress(.waiting(.showCode(FakeSignIn.code("CODE-1"))))
      return credential("mallory")
    }
    var options = SignInOptions(applicationName: "")
    options.allowsAnotherAccount = mayReplace
    _ = try? await fixture.slot.startSignIn(options, interaction: .forbidden)
    await fixture.until { !$0.deviceLinkState.isRunning }
    #expect(fixture.slot.state.lastError == (mayReplace ? nil : .signIn(.accountMismatch)))
    #expect(fixture.store.stored == (mayReplace ? "mallory" : "ada"))
    await fixture.method.revocationRequested()
    #expect(fixture.method.revoked == [mayReplace ? "ada" : "mallory"])
  }

  @Test func failedRequestThrowsToTheCallerWaitingForTheCode() async {
    let fixture = SlotFixture(.none)
    let error = ChappieAuthError.deviceCodeRequestFailed(status: 404, message: "")
    fixture.method.onSignIn = { _ in throw error }
    await #expect(throws: CredentialError.signIn(error)) {
      try await fixture.slot.startSignIn(interaction: .forbidden)
    }
    await fixture.until { $0.deviceLinkState == .failed }
  }

  // MARK: The store

  /// The check comes before the user enters a code: a sign-in that cannot be stored is useless.
  @Test func lockedStoreThrowsBeforeAnyCode() async {
    let fixture = SlotFixture(.none)
    fixture.store.unlockError = .keyringLocked
    await #expect(throws: CredentialError.keyringLocked) {
      try await fixture.slot.startSignIn(interaction: .allowed)
    }
    #expect(fixture.method.signIns == 0)
    #expect(fixture.store.unlocks == [.allowed])
  }

  @Test func revokesTokensThatCannotBeStored() async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.store.writeError = .keyringFailed("full")
    _ = try? await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.until { $0.deviceLinkState == .failed }
    await fixture.method.revocationRequested()
    #expect(fixture.method.revoked == ["signed-in"])
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.accountInfo?.accountID == "ada")
    #expect(fixture.store.stored == "old")
  }
}
