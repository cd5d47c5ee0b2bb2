// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Backends that refuse, end an answer early or send invalid data. A failed turn ends exactly once.
@Suite(.worlds) @GLibActor
struct BackendFailureTests {
  /// The number of times that a request is sent.
  enum Tries {
    /// A retry would not help.
    case once
    /// The request is sent four more times.
    case whileUnavailable
    /// Over a WebSocket, as often as the client's policy allows; over HTTP, five more times, until the answer's first
    /// text.
    case whileBroken
  }

  struct Case: CustomTestStringConvertible {
    let name: String
    /// The rule's keys, without its endpoint and its count.
    let rule: String
    var tries = Tries.once
    let error: String
    /// A part of the message.
    let message: String
    var partialText: String?
    var status: UInt32?
    var plan: String?
    var resetsAt: Int64?

    var testDescription: String { name }

    /// The number of requests from a client whose socket is reopened once.
    func requests(over transport: World.Plan.Transport) -> Int {
      switch tries {
      case .once: 1
      case .whileUnavailable: 5
      case .whileBroken where transport == .webSocket: 2
      case .whileBroken: partialText == nil ? 6 : 1
      }
    }
  }

  /// The events of an answer that starts with “Well”.
  private nonisolated static func begun(_ end: String) -> String {
    #""events":[{"type":"response.created","response":{}},{"type":"response.output_text.delta","delta":"Well"},\#(end)]"#
  }

  private nonisolated static func interrupted(_ transport: World.Plan.Transport) -> [Case] {
    // A socket stays open after the raw bytes of a rule, unless the rule drops it.
    let cut = transport == .webSocket ? #","drop_after":0"# : ""
    let end = transport == .webSocket ? "backend could not be used" : "broke off"
    return [
      Case(
        name: "cut in the middle", rule: #""text":"one two three","drop_after":2"#, tries: .whileBroken,
        error: "Network", message: "backend", partialText: "one two"),
      Case(
        name: "cut at the start", rule: #""drop_after":0"#, tries: .whileBroken, error: "Network", message: "backend"),
      Case(
        name: "ends too early", rule: #""text":"one two three","end_after":1"#, tries: .whileBroken, error: "Network",
        message: end, partialText: "one"),
      Case(
        name: "is no event stream", rule: #""raw":"<html><body>Hello</body></html>\n\n""# + cut, tries: .whileBroken,
        error: "Network", message: end),
    ]
  }

  private nonisolated static let refused: [Case] = [
    Case(
      name: "400 with a detail", rule: #""status":400,"body":{"detail":"Instructions are required"}"#,
      error: "HTTPError", message: "Instructions are required", status: 400),
    Case(
      name: "500", rule: #""status":500,"body":"Internal Server Error","headers":{"retry-after":"0"}"#,
      tries: .whileUnavailable, error: "HTTPError", message: "Internal Server Error", status: 500),
    Case(
      name: "redirect", rule: #""status":302,"headers":{"location":"https://example.com/"}"#, error: "HTTPError",
      message: "302", status: 302),
    Case(
      name: "usage limit",
      rule: #""status":429,"body":{"error":{"type":"usage_limit_reached","plan_type":"pro","resets_at":1893456000}}"#,
      error: "UsageLimitReached", message: "Pro plan", plan: "pro", resetsAt: 1_893_456_000),
  ]

  private nonisolated static let failed: [Case] = [
    Case(
      name: "response.failed",
      rule: begun(#"{"type":"response.failed","response":{"error":{"code":"cyber_policy","message":"Not this."}}}"#),
      error: "HTTPError", message: "Not this.", partialText: "Well"),
    Case(
      name: "response.failed without a reason", rule: begun(#"{"type":"response.failed"}"#), tries: .whileBroken,
      error: "HTTPError", message: "could not answer", partialText: "Well"),
    Case(
      name: "response.failed for its rate",
      rule: begun(
        #"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"Slow."}}}"#),
      error: "RateLimited", message: "Slow.", partialText: "Well", status: 429),
    Case(
      name: "response.failed for the plan",
      rule: begun(
        """
        {"type":"response.failed","response":{
          "error":{"code":"usage_limit_reached","plan_type":"plus","resets_at":1893456000}}}
        """),
      error: "UsageLimitReached", message: "Plus plan", partialText: "Well", plan: "plus", resetsAt: 1_893_456_000),
    Case(
      name: "response.incomplete",
      rule: begun(
        #"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#),
      error: "HTTPError", message: "max_output_tokens", partialText: "Well"),
  ]

  @Test(arguments: World.Plan.Transport.allCases)
  func aFailedTurnEndsOnce(over transport: World.Plan.Transport) async throws {
    let cases = Self.interrupted(transport) + Self.refused + Self.failed
    try await World.signedIn(World.Plan(transport: transport), each: cases) { world, caller, test in
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
      #expect(state.requests["responses"] == 2 * test.requests(over: transport) + 1)
      #expect(state.lastResponsesRequest.transport == (transport == .http ? "http" : "websocket"))
    }
  }

  @Test func aClosedPortIsANetworkFailure() async throws {
    try await World.signedIn(.http) { world, caller in
      await world.sandbox.end()
      try await expectRefusal("Network") { try await caller.models() }
      try await expectRefusal("Network") { try await caller.requestUsage() }
      try await expectRefusal("Network") { try await caller.send("hi") }
      #expect(try await caller.state() == "signed-in")
    }
  }

  @Test func aSignedOutCallerIsRefused() async throws {
    try await World.with { world in
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
  }
}
