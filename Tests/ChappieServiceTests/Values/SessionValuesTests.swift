// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK
@testable import ChappieService

struct SessionValuesTests {
  private static func snapshot(_ events: SlotState.Event...) -> ChappieAuthSession.Snapshot {
    ChappieAuthSession.Snapshot(after: events)
  }

  private static let ada = ChappieAccountInfo(
    email: "ada@example.org", userID: "user", accountID: "account", plan: ChappiePlan(rawValue: "plus"))

  /// The bus has four states; a slot that was not read yet is signed out.
  @Test func eachStateHasItsBusName() {
    let refusal = ChappieAuthError.tokenExchangeFailed(status: 400, message: "")
    #expect(Self.snapshot().busState == "signed-out")
    #expect(Self.snapshot(.foundNone).busState == "signed-out")
    #expect(Self.snapshot(.signInProgress(.preparing)).busState == "signing-in")
    #expect(Self.snapshot(.signedIn(Self.ada)).busState == "signed-in")
    #expect(Self.snapshot(.refreshRefused(.signIn(refusal), renewedAt: 0)).busState == "reauthentication-required")
  }

  /// After the code or the page there is nothing to do for the user.
  @Test func theCodeAndTheStepAreWhatTheUserDoesNow() {
    #expect(
      Self.snapshot(.signInProgress(.waiting(.code))).busDeviceCode == [
        "user_code": "ABCD-12345", "verification_uri": "https://example.org/codex/device?a=1&b=2",
        "expires_at": Int64(7),
      ])
    #expect(Self.snapshot(.signedIn(Self.ada)).busDeviceCode.isEmpty)
    func step(_ progress: SignInProgress..., isShown: Bool = false) -> VariantDictionary {
      ChappieAuthSession.Snapshot(after: progress.map { .signInProgress($0) }).busSignInStep(isShown: isShown)
    }
    #expect(step().isEmpty)
    #expect(step(.preparing) == ["kind": "wait"])
    #expect(
      step(.waiting(.code)) == [
        "kind": "show-code", "uri": "https://example.org/codex/device?a=1&b=2", "code": "ABCD-12345",
        "expires_at": Int64(7),
      ])
    #expect(step(.waiting(.code), .exchanging) == ["kind": "wait"])
    let opens = SignInProgress.waiting(.page)
    #expect(step(opens) == ["kind": "open-page", "expires_at": Int64(8)])
    #expect(
      step(opens, isShown: true)
        == ["kind": "open-page", "uri": "https://example.org/authorize?state=1", "expires_at": Int64(8)])
    #expect(step(opens, .verifying, isShown: true) == ["kind": "wait"])
    #expect(
      step(.waiting(.openPage(.sample, isElsewhere: true))) == ["kind": "paste-address", "expires_at": Int64(8)])
    #expect(Self.snapshot(.signInProgress(opens), .signedIn(Self.ada)).busSignInStep(isShown: true).isEmpty)
  }

  @Test func theAccountContainsOnlyKnownMembers() {
    #expect(
      Self.snapshot(.signedIn(Self.ada)).busAccountInfo
        == ["email": "ada@example.org", "user_id": "user", "account_id": "account", "plan": "plus"])
    #expect(Self.snapshot(.signedIn(ChappieAccountInfo(userID: "user"))).busAccountInfo == ["user_id": "user"])
    #expect(Self.snapshot(.foundLocked).busAccountInfo.isEmpty)
    #expect(Self.snapshot().busAccountInfo.isEmpty)
  }

  @Test func theLastErrorContainsNameAndMessage() {
    let error = ChappieAuthError.missingRefreshToken
    #expect(
      Self.snapshot(.refreshFailed(.signIn(error))).busLastError == [
        "name": "org.chappie.Error.MissingRefreshToken", "message": error.description,
        "requires_reauthentication": true,
      ])
    #expect(Self.snapshot().busLastError.isEmpty)
  }
}
