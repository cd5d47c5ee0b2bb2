// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The errors from the servers or the program itself. Those of tools and transports are in ``HostToolTests`` and
/// ``TransportTests``; those from the keyring need a keyring and are among the integration tests.
@Suite(.timeLimit(.minutes(10))) @GLibActor struct ClientErrorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let error: ChappieClientError
    var fixture = ChappieAuthFixture.signedIn
    var user = StandInUser(email: "ada@example.com")
    var text = "Hello"
    var scenario = "[]"

    var testDescription: String { error.description }
  }

  nonisolated static let cases = [
    Case(error: .missingCredential, fixture: .signedOut),
    Case(
      error: .missingAccountID, user: StandInUser(email: "nobody@example.com", accountID: ""),
      scenario: #"[{"endpoint": "responses", "status": 403, "times": "always"}]"#),
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
    try backend.play(test.scenario)
    let client = Chappie.client(
      configuration: try .testing(test.fixture, backend: backend, user: test.user))
    let error = await #expect(throws: ChappieClientError.self) { try await client.send(test.text) }
    // GLib chooses the text of a network error.
    if case (.network, .network?) = (test.error, error) {} else { #expect(error == test.error) }
    #expect(error?.description.hasSuffix(".") == true)
    await backend.stop()
  }
}
