// SPDX-License-Identifier: Apache-2.0

/// Backends that refuse, end an answer early or send invalid data. A failed turn ends exactly once.
@Suite(.worlds) @GLibActor
struct BackendFailureTests {
  struct Case: CustomTestStringConvertible {
    /// The rule's keys, without its endpoint and its count.
    let rule: String
    /// The requests over a WebSocket, which is reopened once, and over HTTP, where no text is requested again.
    var requests = [1, 1]
    let error: String
    /// A part of the message.
    let message: String
    var partialText: String?
    var status: UInt32?
    var plan: String?
    var resetsAt: Int64?

    var testDescription: String { rule }
  }

  /// The events of an answer that starts with “Well”.
  private nonisolated static func begun(_ end: String) -> String {
    #""events":[{"type":"response.created","response":{}},{"type":"response.output_text.delta","delta":"Well"},\#(end)]"#
  }

  private nonisolated static let cases: [Case] = [
    Case(
      rule: #""text":"one two three","drop_after":2"#, requests: [2, 1], error: "Network", message: "backend",
      partialText: "one two"),
    Case(rule: #""drop_after":0"#, requests: [2, 6], error: "Network", message: "backend"),
    Case(
      rule: #""text":"one two three","end_after":1"#, requests: [2, 1], error: "Network",
      message: "backend could not be used", partialText: "one"),
    Case(
      rule: #""status":500,"body":"Internal Server Error","headers":{"retry-after":"0"}"#, requests: [5, 5],
      error: "HTTPError", message: "Internal Server Error", status: 500),
    Case(
      rule: #""status":429,"body":{"error":{"type":"usage_limit_reached","plan_type":"pro","resets_at":1893456000}}"#,
      error: "UsageLimitReached", message: "Pro plan", plan: "pro", resetsAt: 1_893_456_000),
    Case(
      rule: begun(#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"Slow."}}}"#),
      error: "RateLimited", message: "Slow.", partialText: "Well", status: 429),
    Case(
      rule: begun(
        """
        {"type":"response.failed","response":{
          "error":{"code":"usage_limit_reached","plan_type":"plus","resets_at":1893456000}}}
        """),
      error: "UsageLimitReached", message: "Plus plan", partialText: "Well", plan: "plus", resetsAt: 1_893_456_000),
    Case(
      rule: begun(#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#),
      error: "HTTPError", message: "max_output_tokens", partialText: "Well"),
  ]

  @Test(arguments: World.Plan.Transport.allCases)
  func aFailedTurnEndsOnce(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(World.Plan(transport: transport), each: Self.cases) { world, caller, test in
      let client = try await caller.open("Client", transport.reconnecting(1))
      try await world.sandbox.play(#"[{"endpoint":"responses","times":"always",\#(test.rule)}]"#)
      let refused = try await refusal { try await caller.send("hi", at: client) }
      #expect(refused.name == test.error)
      #expect(refused.message.contains(test.message), "\(refused.message)")

      let turn = try await caller.stream("hi", at: client)
      let failure = try await turn.end().failure
      #expect(failure.name == test.error)
      #expect(failure.message == refused.message)
      #expect(failure.details.text("partial_text") == test.partialText)
      if let status = test.status { #expect(try failure.details.value("status") == status) }
      #expect(failure.details.text("plan") == test.plan)
      #expect(try failure.details.value("resets_at") == test.resetsAt)
      #expect(try turn.deltas.map(\.text).joined() == test.partialText ?? "")
      #expect(turn.endCount == 1)

      let seen = try await turn.snapshot()
      #expect(seen.status == "failed")
      #expect(seen.text == test.partialText ?? "")
      #expect(seen.details.text("error") == "org.chappie.Error.\(test.error)")
      #expect(seen.details.text("message") == failure.message)
      // The sign-in is not affected, and the next turn is independent.
      #expect(try await caller.state() == "signed-in")
      try await world.sandbox.play("[]")
      #expect(try await caller.send("again", at: client).contains("again"))
      let state = try await world.sandbox.state()
      #expect(state.requests["responses"] == 2 * test.requests[transport == .http ? 1 : 0] + 1)
      #expect(state.lastResponsesRequest.transport == (transport == .http ? "http" : "websocket"))
    }
  }

  @Test func aClosedPortIsANetworkFailure() async throws {
    let (world, caller) = try await World.signedIn(.http)
    await world.sandbox.end()
    try await expectRefusal("Network") { try await caller.models() }
    try await expectRefusal("Network") { try await caller.requestUsage() }
    try await expectRefusal("Network") { try await caller.send("hi") }
    #expect(try await caller.state() == "signed-in")
  }

  @Test func aSignedOutCallerIsRefused() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    let turn = try await caller.stream("hi")
    #expect(try await turn.end().failure.name == "MissingCredential")
    #expect(try await turn.snapshot().status == "failed")
    let end = try await caller.ask("hello").end()
    #expect(end.name == "failed")
    #expect(end.errorName == "MissingCredential")
    #expect(end.text("message")?.isEmpty == false)
    try await expectRefusal("MissingCredential") { try await caller.models() }
    try await expectRefusal("MissingCredential") { try await caller.requestUsage() }
    let requests = try await world.sandbox.state().requests
    for endpoint in ["responses", "models", "usage"] { #expect(requests[endpoint] == 0) }
  }

  @Test func aRefusalOfASignInWithoutAnAccountHasItsName() async throws {
    let plan = World.Plan(sandboxArguments: ["--auto-approve", "--rate", "0", "--account-id", ""])
    let (world, caller) = try await World.signedIn(plan)
    #expect(try await caller.send("hi").contains("hi"))
    try await world.sandbox.play(#"[{"endpoint":"responses","status":403,"times":"always"}]"#)
    try await expectRefusal("MissingAccountID") { try await caller.send("go") }
    #expect(try await caller.stream("go").end().failure.name == "MissingAccountID")
  }
}
