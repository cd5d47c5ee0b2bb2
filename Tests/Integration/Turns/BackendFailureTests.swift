import GLibBridge
import Testing

/// A backend that refuses, breaks off or talks nonsense. However a turn fails, it ends once.
@Suite(.worlds) @GLibActor
struct BackendFailureTests {
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    /// The rule's keys, without its endpoint and without how often it holds.
    let rule: String
    let error: String
    /// A part of the message.
    let message: String
    var partialText: String?
    var status: UInt32?
    var plan: String?
    var resetsAt: Int64?
  }

  /// The events of an answer that starts with “Well”.
  private nonisolated static func begun(_ end: String) -> String {
    #""events":[{"type":"response.created","response":{}},{"type":"response.output_text.delta","delta":"Well"},\#(end)]"#
  }

  nonisolated static let broken = [
    Case(
      testDescription: "cut in the middle", rule: #""text":"one two three","drop_after":2"#, error: "Network",
      message: "backend", partialText: "one two"),
    Case(testDescription: "cut at the start", rule: #""drop_after":0"#, error: "Network", message: "backend"),
    Case(
      testDescription: "ends too early", rule: #""text":"one two three","end_after":1"#, error: "Network",
      message: "broke off", partialText: "one"),
    Case(testDescription: "says nothing", rule: #""raw":"""#, error: "Network", message: "broke off"),
    Case(
      testDescription: "is no event stream", rule: #""raw":"<html><body>Hello</body></html>\n\n""#, error: "Network",
      message: "broke off"),
    Case(
      testDescription: "sends no JSON", rule: #""raw":"data: {\"type\":\n\ndata: [DONE]\n\n""#, error: "Network",
      message: "broke off"),
  ]

  nonisolated static let refused = [
    Case(
      testDescription: "400 with a detail", rule: #""status":400,"body":{"detail":"Instructions are required"}"#,
      error: "HTTPError", message: "Instructions are required", status: 400),
    Case(
      testDescription: "403", rule: #""status":403,"body":{"error":{"message":"Not here.","code":"region"}}"#,
      error: "HTTPError", message: "Not here.", status: 403),
    Case(testDescription: "404", rule: #""status":404"#, error: "HTTPError", message: "404", status: 404),
    Case(
      testDescription: "500", rule: #""status":500,"body":"Internal Server Error""#, error: "HTTPError",
      message: "Internal Server Error", status: 500),
    Case(
      testDescription: "redirect", rule: #""status":302,"headers":{"location":"https://example.com/"}"#,
      error: "HTTPError", message: "302", status: 302),
    Case(
      testDescription: "usage limit",
      rule: #""status":429,"body":{"error":{"type":"usage_limit_reached","plan_type":"pro","resets_at":1893456000}}"#,
      error: "UsageLimitReached", message: "Pro plan", plan: "pro", resetsAt: 1_893_456_000),
  ]

  nonisolated static let failed = [
    Case(
      testDescription: "response.failed",
      rule: begun(#"{"type":"response.failed","response":{"error":{"code":"cyber_policy","message":"Not this."}}}"#),
      error: "HTTPError", message: "Not this.", partialText: "Well"),
    Case(
      testDescription: "response.failed without a reason", rule: begun(#"{"type":"response.failed"}"#),
      error: "HTTPError", message: "could not answer", partialText: "Well"),
    Case(
      testDescription: "response.failed for its rate",
      rule: begun(#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"Slow."}}}"#),
      error: "RateLimited", message: "Slow.", partialText: "Well", status: 429),
    Case(
      testDescription: "response.failed for the plan",
      rule: begun(
        """
        {"type":"response.failed","response":{
          "error":{"code":"usage_limit_reached","plan_type":"plus","resets_at":1893456000}}}
        """),
      error: "UsageLimitReached", message: "Plus plan", partialText: "Well", plan: "plus", resetsAt: 1_893_456_000),
    Case(
      testDescription: "response.incomplete",
      rule: begun(
        #"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#),
      error: "HTTPError", message: "max_output_tokens", partialText: "Well"),
  ]

  @Test(arguments: broken + refused + failed)
  func endsTheTurnOnce(_ test: Case) async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      try await world.sandbox.play(#"[{"endpoint":"responses","times":"always",\#(test.rule)}]"#)
      let refused = try await refusal { try await caller.send("hi") }
      #expect(refused.name == test.error)
      #expect(refused.message.contains(test.message), "\(refused.message)")

      let turn = try await caller.stream("hi")
      let failure = try await turn.end().failure
      #expect(failure.name == test.error)
      #expect(failure.message == refused.message)
      #expect(failure.details.text("partial_text") == test.partialText)
      if let status = test.status { #expect(try failure.details.value("status") == status) }
      #expect(failure.details.text("plan") == test.plan)
      #expect(try failure.details.value("resets_at") == test.resetsAt)
      #expect(try turn.deltas.map(\.text).joined() == test.partialText ?? "")
      #expect(turn.endCount == 1)

      let seen = try await turn.seen()
      #expect(seen.status == "failed")
      #expect(seen.text == test.partialText ?? "")
      #expect(seen.details.text("error") == "org.chappie.Error.\(test.error)")
      #expect(seen.details.text("message") == failure.message)
      // Nothing of it is the sign-in's fault, and the next turn has nothing to do with it.
      #expect(try await caller.state() == "signed-in")
      try await world.sandbox.play("[]")
      #expect(try await caller.send("again").contains("again"))
      #expect(try await world.sandbox.state().requests["responses"] == 3)
    }
  }

  @Test func aLateAnswerIsAnAnswer() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      try await world.sandbox.play(#"[{"endpoint":"responses","delay_ms":700,"times":2}]"#)
      #expect(try await caller.send("late").contains("late"))
      #expect(try await caller.stream("late").end().answer.text.contains("late"))
    }
  }

  @Test func aPortThatNobodyListensOnIsANetworkFailure() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      await world.sandbox.end()
      #expect(try await refusal { try await caller.send("hi") }.name == "Network")
      let turn = try await caller.stream("hi")
      #expect(try await turn.end().failure.name == "Network")
      #expect(turn.endCount == 1)
      #expect(try await caller.state() == "signed-in")
    }
  }

  @Test func nobodyIsSignedIn() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      #expect(try await refusal { try await caller.send("hi") }.name == "MissingCredential")
      let turn = try await caller.stream("hi")
      #expect(try await turn.end().failure.name == "MissingCredential")
      #expect(turn.endCount == 1)
      #expect(try await turn.seen().status == "failed")
      #expect(try await world.sandbox.state().requests["responses"] == 0)
    }
  }

  @Test func aModelThatDoesNotExistIsRefusedByTheBackend() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      let refused = try await refusal { try await caller.send("hi", ["model": "gpt-0"]) }
      #expect(refused.name == "HTTPError")
      #expect(refused.message.contains("'gpt-0' model is not supported"))
    }
  }
}
