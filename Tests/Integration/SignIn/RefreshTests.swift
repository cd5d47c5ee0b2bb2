// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Refreshing tokens, and failures of a refresh.
@Suite(.worlds) @GLibActor
struct RefreshTests {
  /// A sign-in whose access token the backend refuses.
  private func expiredCaller(_ world: World) async throws -> Caller {
    let caller = try await world.signedInCaller()
    try await world.sandbox.expireAccessTokens()
    return caller
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aRefusedRequestIsRetriedOnceWithANewToken(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      // The cached list of models is not read again: the backend refuses the turn itself.
      _ = try await caller.slugs()
      try await world.sandbox.expireAccessTokens()
      let before = try await world.keyring.credentials()["default"]?.secret
      #expect(try await caller.send("hi").contains("hi"))
      let state = try await world.sandbox.state()
      #expect(state.requests["refresh"] == 1)
      // A WebSocket sends its token once, in its handshake.
      #expect(state.requests[transport == .http ? "responses" : "handshake"] == 2)
      #expect(state.liveRefreshTokens == 1)
      let items = try await world.keyring.credentials()
      #expect(items.count == 1)
      #expect(items["default"]?.secret != before)
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError().isEmpty)
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aRefusedRequestIsNotRetriedTwice(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      try await world.sandbox.play(
        #"[{"endpoint":"responses","status":401,"body":{"error":{"message":"Go away."}},"times":"always"}]"#)
      let turn = try await caller.stream("hi")
      let failure = try await turn.end().failure
      #expect(failure.name == "HTTPError")
      #expect(try failure.details.value("status") == UInt32(401))
      #expect(turn.endCount == 1)
      let state = try await world.sandbox.state()
      #expect(state.requests["handshake"] == (transport == .http ? 0 : 2))
      #expect(state.requests["responses"] == 2)
      #expect(state.requests["refresh"] == 1)
      #expect(try await caller.state() == "signed-in")
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func simultaneousTurnsShareOneRefresh(over transport: World.Plan.Transport) async throws {
    try await World.with(transport) { world in
      let caller = try await expiredCaller(world)
      try await world.sandbox.play(#"[{"endpoint":"refresh","delay_ms":200,"times":"always"}]"#)
      var turns: [Turn] = []
      for number in 0..<8 { turns.append(try await caller.stream("\(number)")) }
      for turn in turns { #expect(try await turn.end().answer.text.contains("You said")) }
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
    }
  }

  /// Each use of these tokens needs a new one, and the server accepts each refresh token once.
  @Test func aRotatedTokenIsStored() async throws {
    try await World.signedIn(.shortTokens) { world, caller in
      let first = try await world.keyring.credentials()["default"]?.secret
      for number in 1...3 {
        #expect(try await caller.send("hi").contains("hi"))
        #expect(try await world.sandbox.state().requests["refresh"] == number)
        try await world.service.restart()
      }
      #expect(try await world.keyring.credentials().count == 1)
      #expect(try await world.sandbox.state().liveRefreshTokens == 1)

      // The first refresh token again: the server knows it, and that it was used.
      let old = try #require(first)
      try await world.keyring.changeSecret(of: "default") { _ in String(decoding: old, as: UTF8.self) }
      try await world.service.restart()
      try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
    }
  }

  // MARK: The end of a sign-in

  @Test func aRefusedRefreshNeedsANewSignIn() async throws {
    try await World.with(each: [400, 401, 403]) { world, status in
      let listener = try await world.caller()
      let caller = try await expiredCaller(world)
      try await world.sandbox.play(
        #"[{"endpoint":"refresh","status":\#(status),"body":{"error":"invalid_grant","error_description":"Gone."}}]"#)
      let turn = try await caller.stream("hi")
      #expect(try await turn.end().failure.name == "ReauthenticationRequired")
      #expect(turn.endCount == 1)
      #expect(try await caller.state() == "reauthentication-required")
      let notice = try await listener.signal("ReauthenticationRequired")
      #expect(try notice.arguments.member(0, "reason", as: String.self).contains("Gone."))
      try await listener.signal("StateChanged") { $0.arguments == .tuple("reauthentication-required", "signed-in") }
      let last = try await caller.lastError()
      #expect(last.text("name") == "org.chappie.Error.TokenExchangeFailed")
      #expect(last["requires_reauthentication"] == true.variant)

      // The owner stays known, and the server is not asked again.
      let account = try await caller.property("Session.AccountInfo", as: VariantDictionary.self)
      #expect(account.text("email") == "ada@example.com")
      #expect(try await world.keyring.credentials().count == 1)
      try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
      try await listener.catchUp()
      #expect(listener.signals("ReauthenticationRequired").count == 1)

      try await caller.signIn()
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError().isEmpty)
      #expect(try await caller.send("back").contains("back"))
      #expect(try await world.keyring.credentials().count == 1)
    }
  }

  @Test func aRevokedTokenNeedsANewSignIn() async throws {
    try await World.with { world in
      let caller = try await expiredCaller(world)
      try await world.sandbox.revokeRefreshTokens()
      try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
      #expect(try await caller.lastError().text("message")?.contains("revoked") == true)
      // After a restart the token looks valid until its first use, and is refused again.
      try await world.service.restart()
      try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
      #expect(try await caller.state() == "reauthentication-required")
      try await caller.call("Session.SignOut")
      #expect(try await caller.state() == "signed-out")
      #expect(try await world.keyring.credentials().isEmpty)
    }
  }

  // MARK: Transient failures

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let rule: String
    let error: String
  }

  nonisolated static let passing = [
    Case(
      testDescription: "403 page", rule: #""status":403,"raw":"<html>Blocked: invalid_grant</html>""#,
      error: "HTTPError"),
    Case(testDescription: "401 nothing", rule: #""status":401"#, error: "HTTPError"),
    Case(testDescription: "400 half", rule: #""status":400,"raw":"{\"error\":\"invalid_grant\"""#, error: "HTTPError"),
    Case(testDescription: "401 client", rule: #""status":401,"body":{"error":"invalid_client"}"#, error: "HTTPError"),
    Case(testDescription: "500 named", rule: #""status":500,"body":{"error":"invalid_grant"}"#, error: "HTTPError"),
    Case(testDescription: "500", rule: #""status":500"#, error: "HTTPError"),
    Case(testDescription: "429", rule: #""status":429"#, error: "HTTPError"),
    Case(testDescription: "no JSON", rule: #""raw":"<html>""#, error: "Network"),
    Case(testDescription: "no token", rule: #""body":{}"#, error: "Network"),
  ]

  @Test func aTransientFailureChangesNothing() async throws {
    try await World.with(each: Self.passing) { world, test in
      let caller = try await expiredCaller(world)
      try await world.sandbox.play(#"[{"endpoint":"refresh",\#(test.rule)}]"#)
      let turn = try await caller.stream("hi")
      let failure = try await turn.end().failure
      #expect(failure.name == test.error || failure.name == "RateLimited", "\(failure)")
      #expect(turn.endCount == 1)
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError()["requires_reauthentication"] == false.variant)
      #expect(try await caller.send("again").contains("again"))
      #expect(try await caller.lastError().isEmpty)
      #expect(caller.signals("ReauthenticationRequired").isEmpty)
    }
  }

  /// The server has rotated the token, and the answer was lost. Servers accept the old one once more.
  @Test func aLostAnswerIsRequestedAgain() async throws {
    let grace = World.Plan(sandboxArguments: ["--auto-approve", "--rate", "0", "--refresh-grace"])
    try await World.with(grace) { world in
      let caller = try await expiredCaller(world)
      try await world.sandbox.play(#"[{"endpoint":"refresh","drop_after":0}]"#)
      try await expectRefusal("Network") { try await caller.send("hi") }
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.send("again").contains("again"))
    }
  }

  /// The refresh goes on for other callers; the server has rotated the token already.
  @Test func aRefreshOutlivesTheTurnThatStartedIt() async throws {
    try await World.with { world in
      let caller = try await expiredCaller(world)
      try await world.sandbox.play(#"[{"endpoint":"refresh","delay_ms":3000}]"#)
      let turn = try await caller.stream("hi")
      try await eventually("the refresh") { try await world.sandbox.state().requests["refresh"] == 1 }
      try await turn.cancel()
      #expect(try await turn.end().failure.name == "Cancelled")
      #expect(try await caller.send("later").contains("later"))
      #expect(try await world.sandbox.state().requests["refresh"] == 1)
    }
  }
}
