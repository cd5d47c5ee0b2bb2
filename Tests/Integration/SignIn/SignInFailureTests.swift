// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A sign-in with servers that refuse, and with unusual answers.
@Suite(.worlds) @GLibActor
struct SignInFailureTests {
  /// A refusal, and the error for the caller.
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let scenario: String
    let error: String
    let message: String
  }

  // MARK: Before the code

  nonisolated static let noCode = [
    Case(
      testDescription: "not enabled", scenario: #"[{"endpoint":"usercode","status":404}]"#, error: "HTTPError",
      message: "not enabled"),
    Case(
      testDescription: "server error", scenario: #"[{"endpoint":"usercode","status":500}]"#, error: "HTTPError",
      message: "status 500"),
    Case(
      testDescription: "no JSON", scenario: #"[{"endpoint":"usercode","raw":"<html>Hello</html>"}]"#,
      error: "HTTPError", message: "cannot be used"),
    Case(
      testDescription: "empty", scenario: #"[{"endpoint":"usercode","raw":""}]"#, error: "HTTPError",
      message: "cannot be used"),
    Case(
      testDescription: "a code that would spoil a terminal",
      scenario: ##"[{"endpoint":"usercode","body":{"device_auth_id":"d","user_code":"\u001b[2JAB","interval":"5"}}]"##,
      error: "HTTPError", message: "cannot be used"),
    Case(
      testDescription: "cut", scenario: #"[{"endpoint":"usercode","drop_after":0}]"#, error: "Network",
      message: "not reached"),
  ]

  @Test func theSignInFailsWithoutACode() async throws {
    try await World.with(each: Self.noCode) { world, test in
      let caller = try await world.caller()
      try await world.sandbox.play(test.scenario)
      let refused = try await refusal { try await caller.startSignIn() }
      #expect(refused.name == test.error)
      #expect(refused.message.contains(test.message))
      #expect(try await caller.state() == "signed-out")
      #expect(try await caller.property("Session.DeviceLinkState") == "failed")
      let last = try await caller.lastError()
      #expect(last.text("name") == "org.chappie.Error.\(test.error)")
      #expect(last.text("message") == refused.message)
      #expect(last["requires_reauthentication"] == false.variant)
      // The next attempt starts from the beginning.
      try await caller.signIn()
      #expect(try await caller.lastError().isEmpty)
      try await caller.call("Session.SignOut")
    }
  }

  @Test func theSignInFailsWhenTheServerIsUnreachable() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      await world.sandbox.end()
      try await expectRefusal("Network") { try await caller.startSignIn() }
      #expect(try await caller.state() == "signed-out")
    }
  }

  /// Without a place to store the tokens a code is useless: the user is not sent to the page.
  @Test func noCodeIsRequestedWhileTheKeyringIsLocked() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      try await world.keyring.lock()
      try await expectRefusal("Locked") { try await caller.startSignIn() }
      #expect(try await world.sandbox.state().requests["usercode"] == 0)
      try await world.keyring.unlock()
      try await caller.signIn()
    }
  }

  @Test func noCodeIsRequestedWithoutAKeyring() async throws {
    try await World.with(World.Plan(keyring: .none)) { world in
      let caller = try await world.caller()
      try await expectRefusal("KeyringUnavailable") { try await caller.startSignIn() }
      #expect(try await world.sandbox.state().requests["usercode"] == 0)
    }
  }

  // MARK: After the code

  nonisolated static let noTokens = [
    Case(
      testDescription: "poll fails", scenario: #"[{"endpoint":"poll","status":500}]"#, error: "TokenExchangeFailed",
      message: "status 500"),
    Case(
      testDescription: "approval without a code", scenario: #"[{"endpoint":"poll","body":{"code_verifier":"v"}}]"#,
      error: "HTTPError", message: "no authorization code"),
    Case(
      testDescription: "exchange refused",
      scenario:
        #"[{"endpoint":"token","status":400,"body":{"error":"invalid_grant","error_description":"Too late."}}]"#,
      error: "TokenExchangeFailed", message: "Too late."),
    Case(
      testDescription: "exchange without a refresh token",
      scenario: #"[{"endpoint":"token","body":{"id_token":"a.b.c","access_token":"a.b.c"}}]"#, error: "HTTPError",
      message: "a token is missing or too long"),
    Case(
      testDescription: "exchange without JSON", scenario: #"[{"endpoint":"token","raw":"[1, 2"}]"#,
      error: "HTTPError", message: "a token is missing or too long"),
    Case(
      testDescription: "exchange cut", scenario: #"[{"endpoint":"token","drop_after":0}]"#, error: "Network",
      message: "not reached"),
  ]

  @Test func theSignInFailsWithoutTokens() async throws {
    try await World.with(each: Self.noTokens) { world, test in
      let caller = try await world.caller()
      try await world.sandbox.play(test.scenario)
      _ = try await caller.startSignIn()
      try await caller.waitFor("failed", "Session.DeviceLinkState")
      #expect(try await caller.state() == "signed-out")
      let last = try await caller.lastError()
      #expect(last.text("name") == "org.chappie.Error.\(test.error)")
      #expect(last.text("message")?.contains(test.message) == true)
      #expect(try await world.keyring.credentials().isEmpty)
      #expect(try await caller.property("Session.DeviceCode", as: VariantDictionary.self).isEmpty)
    }
  }

  // MARK: Unusual but valid answers

  /// The live server sends the interval as a string; other types have been seen.
  @Test func anyFormOfIntervalIsAccepted() async throws {
    let intervals = [#""interval":"0.05""#, #""interval":0.05"#, #""interval":1"#, #""interval":null"#, #""other":1"#]
    try await World.with(each: intervals) { world, interval in
      let caller = try await world.caller()
      // The stand-in makes the service wait only when the interval is short.
      let isShort = interval.contains("0.05")
      let pending = #"{"endpoint":"poll","status":403,"times":3},{"endpoint":"poll","status":404,"times":2},"#
      try await world.sandbox.play(
        """
        [{"endpoint":"usercode","body":{"device_auth_id":"d","usercode":"ABCD-12345",\(interval)}},
         \(isShort ? pending : "")
         {"endpoint":"poll","body":{"authorization_code":"code","code_verifier":"verifier"}},
         {"endpoint":"token","body":{"id_token":"opaque-1","access_token":"opaque-2","refresh_token":"opaque-3"}}]
        """)
      #expect(try await caller.startSignIn() == "ABCD-12345")
      try await caller.waitFor("signed-in")
      #expect(try await world.sandbox.state().requests["poll"] == (isShort ? 6 : 1))
      // Opaque tokens hold no data about the user, and are valid nevertheless.
      #expect(try await caller.property("Session.AccountInfo", as: VariantDictionary.self).isEmpty)
      try await caller.call("Session.SignOut")
    }
  }
}
