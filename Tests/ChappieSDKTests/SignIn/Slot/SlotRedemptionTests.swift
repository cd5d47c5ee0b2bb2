// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The refresh of a sign-in whose server takes each refresh token once.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct SlotRedemptionTests {
  private static func fixture(secondsLeft: Int64 = 60, redeemedAt: Timestamp? = nil) async -> SlotFixture {
    var credential = Credential.test("old", account: "ada", expiresAt: UnixTime.now + secondsLeft)
    credential.redeemedAt = redeemedAt
    let fixture = SlotFixture(.credential(credential), method: FakeSignIn(redeemsOnce: true))
    await fixture.slot.restore()
    return fixture
  }

  private static let lost = RedemptionLost(error: .network("down"))

  /// The server's addresses may take their time, and a process that ends meanwhile has sent nothing.
  @Test func theTokenIsMarkedBeforeItIsSent() async throws {
    let fixture = await Self.fixture()
    func isMarked() -> Bool { fixture.store.credential?.redeemedAt != nil }
    var marks: [Bool] = []
    fixture.method.onPrepareRefresh = {
      marks.append(isMarked())
      throw ChappieAuthError.network("down")
    }
    await #expect(throws: CredentialError.signIn(.network("down"))) { try await fixture.slot.accessGrant() }
    #expect(fixture.method.refreshed.isEmpty && !isMarked())
    fixture.method.onPrepareRefresh = {}
    // An answer that refuses nothing removes the mark.
    for failure in [ChappieAuthError.renewalFailed(status: 503, message: "later"), nil] {
      fixture.method.onRefresh = { _ in
        marks.append(isMarked())
        if let failure { throw failure }
        return .test("new", account: "ada")
      }
      let name = try? await fixture.slot.accessGrant().name
      #expect(name == (failure == nil ? "new" : nil) && !isMarked())
    }
    #expect(marks == [false, true, true])
    #expect(fixture.store.stored == "new")
  }

  @Test(arguments: [false, true])
  func aTokenThatCannotBeMarkedIsNotSent(_ storesTheMark: Bool) async throws {
    let fixture = await Self.fixture(secondsLeft: -1)
    fixture.store.writeError = .keyringUnavailable("slow")
    fixture.store.storesDespiteErrors = storesTheMark
    await #expect(throws: CredentialError.keyringUnavailable("slow")) { try await fixture.slot.accessGrant() }
    #expect(fixture.method.refreshed.isEmpty)
    fixture.store.writeError = nil
    #expect(try await fixture.slot.accessGrant().name == "new")
  }

  @Test func theAccessTokenIsUsedAfterALostAnswer() async throws {
    let fixture = await Self.fixture()
    fixture.method.onRefresh = { _ in throw Self.lost }
    for _ in 0..<3 { #expect(try await fixture.slot.accessGrant().name == "old") }
    #expect(fixture.method.refreshed == ["old"])
    #expect(fixture.slot.state.state == .signedIn)
  }

  @Test(arguments: [false, true])
  func aLostAnswerEndsTheSignInWithItsAccessToken(afterRestart: Bool) async throws {
    var fixture = await Self.fixture(secondsLeft: -1)
    fixture.method.onRefresh = { _ in throw Self.lost }
    if afterRestart {
      // The process ended while it waited for the answer.
      fixture = await Self.fixture(secondsLeft: -1, redeemedAt: .now)
      #expect(fixture.slot.state.state == .signedIn)
    }
    for _ in 0..<2 {
      await #expect(throws: CredentialError.reauthenticationRequired) { try await fixture.slot.accessGrant() }
    }
    #expect(fixture.method.refreshed == (afterRestart ? [] : ["old"]))
    #expect(fixture.slot.state.state == .reauthenticationRequired)
    #expect(fixture.store.credential?.refreshToken == nil)
    #expect(fixture.slot.state.accountInfo?.accountID == "ada")
  }

  /// The keyring is locked while the server is not reached. A process that ends leaves no mark of a token that it has
  /// not sent.
  @Test(arguments: [false, true])
  func aMarkThatCannotBeRemovedCostsNothing(_ isEnd: Bool) async throws {
    let fixture = await Self.fixture(secondsLeft: -1)
    fixture.method.onRefresh = { _ in
      fixture.store.writeError = .locked("now")
      throw ChappieAuthError.network("down")
    }
    await #expect(throws: CredentialError.signIn(.network("down"))) { try await fixture.slot.accessGrant() }
    // The keyring fails once more, and keeps the mark.
    await #expect(throws: CredentialError.locked("now")) { try await fixture.slot.accessGrant() }
    fixture.store.writeError = nil
    #expect(fixture.store.credential?.redeemedAt != nil)
    if isEnd {
      await fixture.slot.settle()
      #expect(fixture.store.credential?.redeemedAt == nil)
    }
    fixture.method.onRefresh = { _ in .test("new") }
    #expect(try await fixture.slot.accessGrant().name == "new")
    #expect(fixture.method.refreshed == ["old", "old"])
  }

  @Test func aRefusalEndsTheSignInAtOnce() async throws {
    let fixture = await Self.fixture()
    fixture.method.onRefresh = { _ in throw ChappieAuthError.ended("invalid_grant") }
    await #expect(throws: CredentialError.reauthenticationRequired) { try await fixture.slot.accessGrant() }
    #expect(fixture.store.credential?.refreshToken == nil)
    fixture.pass(seconds: 3600)
    await #expect(throws: CredentialError.reauthenticationRequired) { try await fixture.slot.accessGrant() }
    #expect(fixture.method.refreshed == ["old"])
  }

  @Test func noRefreshComesBeforeItsTime() async throws {
    let fixture = await Self.fixture()
    fixture.method.earliestRefresh = .now + 600
    let grant = try await fixture.slot.accessGrant()
    #expect(grant.name == "old")
    await #expect(throws: CredentialError.signIn(.renewalTooEarly)) {
      try await fixture.slot.accessGrant(insteadOf: grant)
    }
    #expect(fixture.method.refreshed.isEmpty)
    #expect(fixture.slot.state.state == .signedIn)
    fixture.method.earliestRefresh = .now - 10
    #expect(try await fixture.slot.accessGrant().name == "new")
  }

  @Test(arguments: [7200, -7200, 100_000_000, -100_000_000] as [Int64])
  func aClockThatIsSetCostsOneQuestion(_ ahead: Int64) async throws {
    let fixture = await Self.fixture(secondsLeft: 3600)
    fixture.method.clock.note(.now)
    fixture.method.earliestRefresh = .now + 3240
    fixture.setClock(ahead: ahead)
    #expect(try await fixture.slot.accessGrant().name == "old")
    #expect(fixture.method.refreshed.isEmpty)
    // The seconds of a true clock make the token due.
    fixture.method.earliestRefresh = .now - 10
    let grant = try await fixture.slot.accessGrant()
    await #expect(throws: Never.self) { try await fixture.slot.accessGrant(insteadOf: grant) }
    #expect(fixture.method.refreshed == ["old"])
  }

  /// Nothing is redeemed on the word of a clock alone.
  @Test func aSilentIssuerCostsNothing() async throws {
    let fixture = await Self.fixture(secondsLeft: 3600)
    fixture.method.onAskTime = { _ in throw ChappieAuthError.network("down") }
    fixture.setClock(ahead: 3500)
    let grant = try await fixture.slot.accessGrant()
    #expect(grant.name == "old")
    let error = CredentialError.signIn(.network("down"))
    await #expect(throws: error) { try await fixture.slot.accessGrant(insteadOf: grant) }
    fixture.setClock(ahead: 7200)
    await #expect(throws: error) { try await fixture.slot.accessGrant() }
    #expect(fixture.slot.state.state == .signedIn)
    #expect(fixture.slot.state.lastError == error)
    #expect(fixture.method.refreshed.isEmpty)
    fixture.method.onAskTime = { $0.note(.now) }
    #expect(try await fixture.slot.accessGrant().name == "old")
    #expect(fixture.method.refreshed.isEmpty)
  }

  @Test func anIssuerWithoutATimeIsAskedOnce() async throws {
    let fixture = await Self.fixture()
    var questions = 0
    fixture.method.onAskTime = { _ in questions += 1 }
    #expect(try await fixture.slot.accessGrant().name == "new")
    #expect(questions == 1)
  }

  @Test(arguments: [(-10, ["old"]), (10, [])] as [(Int64, [String])])
  func anUnusedSignInIsRenewedInTime(_ secondsUntil: Int64, _ refreshed: [String]) async {
    let fixture = await Self.fixture(secondsLeft: 3600)
    fixture.method.keepAliveAt = .now + secondsUntil
    await fixture.slot.renewIfIdle()
    #expect(fixture.method.refreshed == refreshed)
  }
}
