// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

struct ResponseEventTests {
  private static func decode(_ text: String) -> ResponseEvent {
    ResponseEvent.decode(Array(text.utf8).span)
  }

  private static func messageText(_ text: String) -> String? {
    guard case .itemDone(let item) = decode(text) else { return nil }
    return item.messageText
  }

  @Test(arguments: [
    (#"{"type":"response.output_text.delta","response_id":"a","delta":"x"}"#, ResponseEvent.textDelta("x")),
    (#"{"type":"response.output_text.delta","response_id":"\u0061","delta":"x"}"#, .textDelta("x")),
    (#"{"type":"response.output_text.delta","response_id":"b","delta":"x"}"#, .foreign),
    (#"{"type":"response.output_text.delta","delta":"x"}"#, .textDelta("x")),
    (#"{"type":"response.output_text.delta","response_id":7,"delta":"x"}"#, .textDelta("x")),
    (#"{"type":"response.completed","response":{"id":"a"}}"#, .completed(id: "a", usage: ChappieTokenUsage())),
    (#"{"type":"response.completed","response":{"id":"b"}}"#, .foreign),
    (#"{"type":"response.created","response":{"id":"b"}}"#, .foreign),
    (#"{"type":"response.failed","response":{"id":"b","error":{"code":"slow_down"}}}"#, .foreign),
    (#"{"type":"response.incomplete","response":{"id":"b"}}"#, .foreign),
  ])
  func eventOfAnotherAnswerIsForeign(_ text: String, _ event: ResponseEvent) {
    #expect(ResponseEvent.decode(Array(text.utf8).span, of: "a") == event)
    #expect(Self.decode(text) != .foreign)
  }

  @Test(
    arguments: [
      (#"{"type":"response.created","response":{"id":"a"}}"#, ResponseEvent.created(id: "a")),
      (
        #"{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"delta":"Grü\u00df\n😀"}"#,
        .textDelta("Grüß\n😀")
      ),
      (#"{"delta":"a","type":"response.output_text.delta"}"#, .textDelta("a")),
      (#"{"type":"response.output_text.delta","delta":""}"#, .textDelta("")),
      (#"{"type":"response.refusal.delta","delta":"I can\u0027t"}"#, .refusalDelta("I can't")),
      (#"{"type":"response.metadata","headers":{"x-codex-turn-state":"ts"}}"#, .turnState("ts")),
      (
        #"{"type":"codex.rate_limits","plan_type":"plus"}"#,
        .rateLimits(ChappieUsageLimitSnapshot(plan: ChappiePlan(rawValue: "plus")))
      ),
      // The example of protocol.md.
      (
        """
        {"type":"response.completed","response":{"id":"resp_1","usage":{"input_tokens":11,"input_tokens_details":\
        {"cached_tokens":3,"cache_write_tokens":0},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},\
        "total_tokens":16}}}
        """,
        .completed(
          id: "resp_1",
          usage: ChappieTokenUsage(inputTokens: 11, cachedInputTokens: 3, outputTokens: 5, reasoningTokens: 2))
      ),
      (
        #"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#,
        .incomplete(reason: "max_output_tokens")
      ),
      (#"{"type":"response.incomplete"}"#, .incomplete(reason: nil)),
      (
        #"{"type":"response.output_item.done","item":{"type":"reasoning","summary":[]}}"#,
        .itemDone(["type": "reasoning", "summary": []])
      ),
    ] as [(String, ResponseEvent)])
  func readsEachEvent(_ text: String, _ event: ResponseEvent) {
    #expect(Self.decode(text) == event)
  }

  @Test func messageJoinsItsTextsAndRefusals() {
    let text = """
      {"type":"response.output_item.done","item":{"type":"message","role":"assistant","content":[
      {"type":"output_text","text":"one "},{"type":"refusal","refusal":"no"},{"type":"output_text","text":"two"}]}}
      """
    #expect(Self.messageText(text) == "one notwo")
    #expect(Self.messageText(#"{"type":"response.output_item.done","item":{"type":"message","content":[]}}"#) == "")
    #expect(Self.messageText(#"{"type":"response.output_item.done","item":{"type":"reasoning"}}"#) == nil)
  }

  @Test func readsAnErrorFrame() throws {
    let text = """
      {"type":"error","status":429,"error":{"type":"usage_limit_reached"},"headers":{"retry-after":"7"}}
      """
    guard case .refused(429, "7", _, let body) = Self.decode(text) else { throw UnmetCondition("a refusal") }
    #expect(body["error"]?["type"] == "usage_limit_reached")
    guard case .refused(400, nil, _, _) = Self.decode("{\"type\":\"error\",\"status_code\":400}") else {
      throw UnmetCondition("a refusal")
    }
    for text in [
      #"{"type":"error","code":"c","message":"m","param":null,"sequence_number":3}"#,
      #"{"type":"error","error":{"code":"c","message":"m"}}"#, #"{"error":{"code":"c","message":"m"}}"#,
      #"{"type":"error","status":"failed","error":{"type":"t","code":"c","message":"m"}}"#,
    ] {
      guard case .refused(nil, nil, _, let body) = Self.decode(text) else { throw UnmetCondition("a refusal") }
      #expect(WireError(within: body).code == "c")
      #expect(WireError(within: body).message == "m")
    }
    for text in [#"{"error":"c"}"#, #"{"error":null}"#, "{}"] { #expect(Self.decode(text) == .other) }
  }

  @Test(arguments: [
    "", ",\"usage\":null", ",\"usage\":{}", ",\"usage\":{\"input_tokens\":0,\"input_tokens_details\":null}",
    ",\"end_turn\":true", ",\"usage\":{\"input_tokens\":\"many\"}", ",\"usage\":{\"output_tokens\":1e300}",
  ])
  func acceptsMissingUsage(_ rest: String) {
    #expect(
      Self.decode("{\"type\":\"response.completed\",\"response\":{\"id\":\"r\"\(rest)}}")
        == .completed(id: "r", usage: ChappieTokenUsage()))
  }

  @Test func failedEventContainsTheReason() {
    let text = """
      {"type":"response.failed","response":{"id":"r","error":{"code":"usage_limit_reached","message":"no more",\
      "plan_type":"plus","resets_at":1893456000}}}
      """
    #expect(
      Self.decode(text)
        == .failed(WireError(code: "usage_limit_reached", message: "no more", plan: "plus", resetsAt: 1_893_456_000)))
    let nothing = ResponseEvent.failed(WireError(code: nil, message: nil))
    for response in ["{}", "{\"error\":null}", "{\"error\":{}}", "{\"error\":\"no\"}", "null", "\"no\"", "[]"] {
      #expect(Self.decode("{\"type\":\"response.failed\",\"response\":\(response)}") == nothing)
    }
  }

  @Test(arguments: [
    "response.queued", "response.in_progress", "response.output_item.added", "response.content_part.added",
    "response.output_text.done", "response.reasoning_text.delta", "response.reasoning_summary_text.delta",
    "response.function_call_arguments.delta", "response.custom_tool_call_input.delta", "response.metadata",
    "", "response", "response.output_text.delta2", "Response.completed",
  ])
  func ignoresOtherTypes(_ type: String) {
    #expect(Self.decode("{\"type\":\"\(type)\",\"delta\":\"x\",\"response\":{\"id\":\"r\"}}") == .other)
  }

  @Test(arguments: [
    "", "[DONE]", "null", "{}", "[]", "\"text\"", "{\"type\":null}", #"{"type":7,"delta":"x"}"#, #"{"delta":"x"}"#,
    #"{"type":"response.output_text.delta"}"#, #"{"type":"response.output_text.delta","delta":null}"#,
    #"{"type":"response.output_text.delta","delta":{"text":"x"}}"#,
    #"{"type":"response.output_text.delta","delta":"x""#, #"{"type":"response.refusal.delta"}"#,
    #"{"type":"response.created","response":{}}"#, #"{"type":"response.completed"}"#,
    #"{"type":"response.completed","response":[]}"#, #"{"type":"response.completed","response":{}}"#,
    #"{"type":"response.completed","response":{"id":7}}"#,
    #"{"type":"codex.rate_limits","metered_limit_name":"other"}"#, #"{"type":"response.output_item.done","item":"no"}"#,
    #"{"type":"response.output_item.done","item":{}}"#, #"{"type":"response.output_item.done","item":null}"#,
  ])
  func ignoresMalformedEvents(_ text: String) {
    #expect(Self.decode(text) == .other)
  }
}
