// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// A slot's sign-in.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct SlotSignInTests {
  /// Makes each sign-in issue a code and wait for the approval.
  @discardableResult
  private static func waitForApproval(_ fixture: SlotFixture) -> Wait {
    let approval = Wait()
    fixture.method.onCode {
      await approval.valueOrCancelled()
      try Task.checkCancellation()
      return .test("signed-in", account: "bob")
    }
    return approval
  }

  @Test func oldCredentialIsKeptUntilTheSignInSucceeds() async throws {
    let fixture = await SlotFixture.signedIn()
    // A failed revocation does not fail the sign-in.
    fixture.method.revocationError = .revocationFailed("down")
    let approval = Self.waitForApproval(fixture)
    var stages: [ChappieDeviceLinkState] = []
    let observation = fixture.slot.observe { change in
      if stages.last != change.new.deviceLinkState { stages.append(change.new.deviceLinkState) }
    }
    let code = try await fixture.slot.startSignIn(interaction: .forbidden)
    #expect(code == FakeSignIn.code("CODE-1"))
    #expect(fixture.slot.state.state == .signingIn)
    #expect(fixture.slot.state.deviceLinkState == .waitingForApproval)
    #expect(fixture.slot.state.signInStep?.deviceCode == code)
    #expect(fixture.store.stored == "old")
    #expect(try await fixture.slot.accessGrant().name == "old")

    approval.finish()
    await fixture.until { $0.deviceLinkState == .linked }
    withExtendedLifetime(observation) {}
    #expect(stages == [.requestingCode, .waitingForApproval, .linked])
    #expect(fixture.slot.state.accountInfo?.accountID == "bob")
    #expect(fixture.slot.state.signInStep?.deviceCode == nil)
    #expect(fixture.store.stored == "signed-in")
    #expect(fixture.store.deletes == 0)
    // The server revokes the replaced credential and nothing else.
    #expect(await fixture.method.revocations() == ["old"])
    _ = await fixture.slot.revokeUnused()
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.lastError == nil)
  }

  /// A revocation of the shared token would end the new sign-in.
  @Test func doesNotRevokeATokenOfTheNewSignIn() async {
    let fixture = await SlotFixture.signedIn()
    for name in ["old", "last"] {
      fixture.method.onCode { .test(name, account: "ada") }
      await fixture.signIn()
    }
    #expect(await fixture.method.revocations() == ["old"])
  }

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
    #expect(await fixture.method.revocations() == ["old"])
  }

  /// The store reports a failure although it has the credential, and maybe cannot be read either.
  @Test(arguments: [FakeStore.Reading.open, .failing, .locked, .hidden])
  func doesNotRevokeWhatAStoreMayHave(_ reading: FakeStore.Reading) async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.store.writeError = .keyringFailed("it took too long")
    fixture.store.storesDespiteErrors = true
    fixture.store.readingAfterWrite = reading
    await fixture.signIn()
    #expect(fixture.slot.state.deviceLinkState == .failed)
    // What is left to do begins, and then ends.
    for _ in 0..<100 { await Task.yield() }
    _ = await fixture.slot.revokeUnused()
    #expect(fixture.method.revoked.isEmpty)
    fixture.store.reading = .open
    #expect(try await fixture.slot.accessGrant().name == "signed-in")
  }

  /// A store that is locked by then was not offered anything.
  @Test(arguments: [false, true])
  func revokesWhatTheStoreDidNotTake(_ isLocked: Bool) async {
    let fixture = await SlotFixture.signedIn()
    fixture.store.writeError = .keyringFailed("full")
    fixture.method.onIssue = {
      guard isLocked else { return }
      fixture.store.unlockError = .keyringLocked
      fixture.store.reading = .locked
    }
    await fixture.signIn()
    #expect(fixture.slot.state.deviceLinkState == .failed)
    #expect(await fixture.method.revocations() == ["signed-in"])
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.accountInfo?.accountID == "ada")
    #expect(fixture.store.stored == "old")
  }

  @Test func aStartReturnsTheSameCodeUntilTheEnd() async throws {
    let fixture = SlotFixture(.none)
    let approval = Self.waitForApproval(fixture)
    let starts = (0..<5).map { _ in Task { @GLibActor in try await fixture.slot.startSignIn(interaction: .forbidden) } }
    for start in starts { #expect(try await start.value.userCode == "CODE-1") }
    #expect(fixture.method.signIns == 1)
    approval.finish()
    await fixture.until { $0.deviceLinkState == .linked }
    // The user approves before the caller resumes.
    fixture.method.onCode { .test("signed-in") }
    for number in 2...3 {
      #expect(try await fixture.slot.startSignIn(interaction: .forbidden).userCode == "CODE-\(number)")
      await fixture.until { $0.deviceLinkState == .linked }
    }
  }

  /// The code of a cancelled sign-in is invalid, even before that sign-in has ended.
  @Test func startAfterACancelReturnsANewCode() async throws {
    let fixture = await SlotFixture.signedIn()
    fixture.slot.cancelSignIn()
    #expect(fixture.slot.state.deviceLinkState == .idle)
    for code in ["CODE-1", "CODE-2"] {
      Self.waitForApproval(fixture)
      #expect(try await fixture.slot.startSignIn(interaction: .forbidden).userCode == code)
      fixture.slot.cancelSignIn()
    }
    #expect(fixture.method.signIns == 2)
    await fixture.until { $0.deviceLinkState == .cancelled }
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.signInStep?.deviceCode == nil)
    #expect(fixture.slot.state.lastError == nil)
    #expect(fixture.store.stored == "old")
    #expect(fixture.store.writes == 0)
  }

  @Test func callerWaitingForTheCodeGetsTheError() async {
    let fixture = SlotFixture(.none)
    let error = ChappieAuthError.deviceCodeRequestFailed(status: 404, message: "")
    fixture.method.onSignIn = { _ in throw error }
    await #expect(throws: CredentialError.signIn(error)) {
      try await fixture.slot.startSignIn(interaction: .forbidden)
    }
    await fixture.until { $0.deviceLinkState == .failed }

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

  @Test(arguments: [
    (ChappieAuthError.declined, ChappieDeviceLinkState.declined), (.expired, .expired), (.network("down"), .failed),
    (.tokenExchangeFailed(status: 400, message: ""), .failed),
  ])
  func failedSignInKeepsTheOldCredential(_ error: ChappieAuthError, _ link: ChappieDeviceLinkState) async {
    let fixture = await SlotFixture.signedIn()
    fixture.method.onCode { throw error }
    await fixture.signIn()
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
    fixture.method.onCode { credential("mallory") }
    var options = SignInOptions(applicationName: "")
    options.allowsAnotherAccount = mayReplace
    await fixture.signIn(options)
    #expect(fixture.slot.state.lastError == (mayReplace ? nil : .signIn(.accountMismatch)))
    #expect(fixture.store.stored == (mayReplace ? "mallory" : "ada"))
    #expect(await fixture.method.revocations() == [mayReplace ? "ada" : "mallory"])
  }

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
}
