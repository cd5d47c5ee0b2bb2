// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import TestSupport
import Testing

/// Each case of `ChappieAuthError` from a sign-in server or the user. The two cases from the keyring need a keyring and
/// are among the integration tests.
@Suite(.timeLimit(.minutes(1))) @GLibActor struct AuthErrorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: ChappieAuthError
    var state = ChappieDeviceLinkState.failed
    var scenario = "[]"
    /// The user's decision about the code.
    var person: @GLibActor @Sendable (StandInBackend, ChappieAuthSession, ChappieDeviceCode) -> Void = {
      backend, _, code in backend.approve(userCode: code.userCode)
    }
  }

  nonisolated static let cases = [
    Case(
      testDescription: "deviceCodeRequestFailed", error: .deviceCodeRequestFailed(status: 500, message: "down"),
      scenario: #"[{"endpoint": "usercode", "status": 500, "body": {"error": {"message": "down"}}}]"#),
    Case(
      testDescription: "tokenExchangeFailed", error: .tokenExchangeFailed(status: 400, message: "Too late."),
      scenario: """
        [{"endpoint": "token", "status": 400, "body": {"error": "invalid_grant", "error_description": "Too late."}}]
        """),
    Case(
      testDescription: "declined", error: .declined, state: .declined,
      person: { backend, _, code in backend.decline(userCode: code.userCode) }),
    Case(
      testDescription: "expired", error: .expired, state: .expired,
      scenario: #"[{"endpoint": "poll", "status": 400, "body": {"error": {"code": "expired_token"}}}]"#),
    Case(
      testDescription: "invalidResponse", error: .invalidResponse("there is no code in it"),
      scenario: #"[{"endpoint": "usercode", "body": {}}]"#),
  ]

  @Test(arguments: cases)
  func signInReportsTheError(_ test: Case) async throws {
    var behaviour = StandInConfiguration()
    behaviour.pollInterval = 1
    let backend = try StandInBackend(behaviour)
    try backend.play(test.scenario)
    let session = Chappie.authSession(configuration: try .testing(.signedOut, backend: backend))
    do {
      test.person(backend, session, try await session.startDeviceCodeSignIn())
      for await update in session.updates where !update.deviceLinkState.isRunning { break }
    } catch let error as ChappieAuthError {
      #expect(error == test.error)
    }
    #expect(session.deviceLinkState == test.state)
    #expect(session.lastError == test.error)
    await backend.stop()
  }

  /// A caller waiting for the code gets the error. Afterwards the session shows no error.
  @Test func callerOfACancelledSignInGetsTheError() async throws {
    let backend = try StandInBackend()
    try backend.play(#"[{"endpoint": "usercode", "hang": true}]"#)
    let session = Chappie.authSession(configuration: try .testing(.signedOut, backend: backend))
    let code = Task { try await session.startDeviceCodeSignIn() }
    try await eventually { backend.state.requests["usercode"] == 1 }
    session.cancelSignIn()
    await #expect(throws: ChappieAuthError.cancelled) { try await code.value }
    #expect(session.deviceLinkState == .cancelled)
    #expect(session.lastError == nil)
    await backend.stop()
  }

  @Test func unreachableServerIsANetworkError() async throws {
    let backend = try StandInBackend()
    let session = Chappie.authSession(configuration: try .testing(.signedOut, backend: backend))
    await backend.stop()
    let error = await #expect(throws: ChappieAuthError.self) { try await session.startDeviceCodeSignIn() }
    guard case .network? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func reportsAMissingRefreshToken() async throws {
    let backend = try StandInBackend()
    let configuration = try ChappieConfiguration.testing(.refreshTokenMissing, backend: backend)
    let session = Chappie.authSession(configuration: configuration)
    _ = await session.restored()
    _ = try? await Chappie.client(configuration: configuration).send("Hello")
    #expect(session.lastError == .missingRefreshToken)
    await backend.stop()
  }
}
