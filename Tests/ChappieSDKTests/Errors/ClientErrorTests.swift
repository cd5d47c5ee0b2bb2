// SPDX-License-Identifier: Apache-2.0
import ChappieSDKTesting
import GLibBridge
import Testing

@testable import ChappieSDK

/// The errors from the servers, the model or the program itself. Those from the keyring need a keyring and are among the
/// integration tests.
@Suite(.timeLimit(.minutes(1))) @GLibActor struct ClientErrorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let error: ChappieClientError
    var fixture = ChappieAuthFixture.signedIn
    var user = StandInUser(email: "ada@example.com")
    var tools: [ChappieHostTool] = []
    var text = "Hello"
    var scenario = "[]"
    var arrange: @GLibActor @Sendable (StandInBackend) async -> Void = { _ in }

    var testDescription: String { error.description }
  }

  nonisolated static let cases = [
    Case(error: .missingCredential, fixture: .signedOut),
    Case(error: .missingRefreshToken, fixture: .refreshTokenMissing),
    Case(
      error: .missingAccountID, user: StandInUser(email: "nobody@example.com", accountID: ""),
      scenario: #"[{"endpoint": "responses", "status": 403, "times": "always"}]"#),
    Case(
      error: .reauthenticationRequired("The sign-in has ended and cannot be renewed: sign in again."),
      fixture: .accessTokenExpired, arrange: { $0.revokeRefreshTokens() }),
    Case(
      error: .usageLimitReached(
        ChappieUsageLimit(plan: ChappiePlan(rawValue: "plus"), resetsAtSeconds: 1_893_456_000)),
      scenario: """
        [{"endpoint": "responses", "status": 429,
          "body": {"error": {"type": "usage_limit_reached", "plan_type": "plus", "resets_at": 1893456000}}}]
        """),
    Case(
      error: .missingToolHandler("fly"),
      scenario: #"[{"endpoint": "responses", "tool_calls": [{"name": "fly"}]}]"#),
    Case(
      error: .toolApprovalDenied("delete", "it must be approved, and nobody can be asked here."),
      tools: [.named("delete", policy: .ask)], text: "use delete"),
    Case(
      error: .toolLoopLimitExceeded(16), tools: [.named("look")],
      scenario: #"[{"endpoint": "responses", "tool_calls": [{"name": "look"}], "times": "always"}]"#),
    Case(
      error: .streamingTransportReplayDiverged("one two"),
      scenario: """
        [{"endpoint": "responses", "text": "one two three", "drop_after": 2},
         {"endpoint": "responses", "text": "eins zwei drei"}]
        """),
    Case(
      error: .httpError(400, "Not like this."),
      scenario: #"[{"endpoint": "responses", "status": 400, "body": {"detail": "Not like this."}}]"#),
    Case(
      error: .signInServer(.renewalFailed(status: 503, message: "Down.")), fixture: .accessTokenExpired,
      scenario: #"[{"endpoint": "refresh", "status": 503, "body": {"error": "down", "error_description": "Down."}}]"#),
    // A server that was stopped would leave its port to that of another test.
    Case(error: .network(""), scenario: #"[{"endpoint": "responses", "drop_after": 0, "times": "always"}]"#),
    Case(error: .invalidArgument("There is no text to answer: give some."), text: ""),
  ]

  @Test(arguments: cases)
  func sendThrowsTheError(_ test: Case) async throws {
    let backend = try StandInBackend()
    var configuration = try ChappieConfiguration.testing(test.fixture, backend: backend, user: test.user)
    configuration.rateLimitBackoff = ChappieRateLimitBackoffPolicy(maxRetries: 0)
    try backend.play(test.scenario)
    await test.arrange(backend)
    let client = Chappie.client(configuration: configuration, tools: test.tools)
    let error = await #expect(throws: ChappieClientError.self) { try await client.send(test.text) }
    switch (test.error, error) {
    // GLib chooses the text of a network error.
    case (.network, .network?): break
    case (.usageLimitReached(let limit), .usageLimitReached(let decoded)?):
      #expect(decoded.plan == limit.plan)
      #expect(decoded.resetsAt == limit.resetsAt)
    default: #expect(error == test.error)
    }
    #expect(error?.description.hasSuffix(".") == true)
    await backend.stop()
  }
}
