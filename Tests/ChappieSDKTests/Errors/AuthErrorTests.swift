// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// The errors of a sign-in as a session shows them.
@Suite(.timeLimit(.minutes(1))) @GLibActor struct AuthErrorTests {
  @Test func signInReportsTheError() async throws {
    var behaviour = StandInConfiguration()
    behaviour.pollInterval = 1
    let backend = try StandInBackend(behaviour)
    let session = Chappie.authSession(configuration: try .testing(.signedOut, backend: backend))
    // Before the code, the caller gets the error too.
    try backend.play(#"[{"endpoint": "usercode", "status": 500, "body": {"error": {"message": "down"}}}]"#)
    let noCode = ChappieAuthError.deviceCodeRequestFailed(status: 500, message: "down")
    await #expect(throws: noCode) { try await session.startDeviceCodeSignIn() }
    #expect(session.deviceLinkState == .failed)
    #expect(session.lastError == noCode)

    try backend.play(#"[{"endpoint": "token", "status": 400, "body": {"error_description": "Too late."}}]"#)
    backend.approve(userCode: try await session.startDeviceCodeSignIn().userCode)
    for await update in session.updates where !update.deviceLinkState.isRunning { break }
    #expect(session.deviceLinkState == .failed)
    #expect(session.lastError == .tokenExchangeFailed(status: 400, message: "Too late."))

    try backend.play(#"[{"endpoint": "usercode", "drop_after": 0}]"#)
    let error = await #expect(throws: ChappieAuthError.self) { try await session.startDeviceCodeSignIn() }
    await backend.stop()
    guard case .network? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
