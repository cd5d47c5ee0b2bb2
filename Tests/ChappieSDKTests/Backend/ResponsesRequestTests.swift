// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct ResponsesRequestTests {
  private static func body(
    harness: ChappieHarness = .none, messages: [ChappieInputMessage] = [.user("hello")],
    options: ChappieMessageOptions = ChappieMessageOptions(), tools: [ChappieHarnessTool] = [],
    form: RequestModel.Form = .plain
  ) throws -> ChappieJSONValue {
    var request = TurnRequest(
      .standard, harness: harness, input: messages.map { .message($0) }, options: options, threadID: "7hread")
    request.declare(tools)
    return try ChappieJSONValue(
      foundation: ResponsesRequest(request, for: RequestModel(slug: "gpt-test", form: form)).encoded())
  }

  /// The backend requires these members (protocol.md, 3.2 and 3.7) and may refuse others.
  @Test func bodyHasExactlyTheRequiredMembers() throws {
    let harness = ChappieHarness(name: "", instructions: "Be brief.")
    #expect(
      try Self.body(harness: harness, options: ChappieMessageOptions(reasoningEffort: .high))
        == [
          "model": "gpt-test",
          "instructions": "Be brief.",
          "input": [
            ["type": "message", "role": "user", "content": [["type": "input_text", "text": "hello"]]]
          ],
          "stream": true,
          "store": false,
          "tool_choice": "auto",
          "parallel_tool_calls": true,
          "reasoning": ["effort": "high"],
          "include": ["reasoning.encrypted_content"],
          "prompt_cache_key": "7hread",
        ])
  }

  @Test(arguments: [RequestModel.Form.plain, .lite])
  func anOutputSchemaIsTheFormatOfTheText(_ form: RequestModel.Form) throws {
    let schema: ChappieJSONValue = [
      "type": "object", "properties": ["a": ["type": "string"]], "required": ["a"], "additionalProperties": false,
    ]
    let format: ChappieJSONValue = [
      "format": ["type": "json_schema", "name": "codex_output_schema", "strict": true, "schema": schema]
    ]
    #expect(try Self.body(options: ChappieMessageOptions(outputSchema: schema), form: form)["text"] == format)
    #expect(try Self.body()["text"] == nil)
  }

  /// The model fills in the properties in the order in which they are sent.
  @Test(arguments: [RequestModel.Form.plain, .lite])
  func propertiesAreSentInTheOrderOfRequired(_ form: RequestModel.Form) throws {
    let schema = try ChappieJSONValue(
      json: """
        {"type":"object","required":["why","answer"],"properties":{"extra":{"type":"null"},"answer":{"type":"string"},
         "why":{"type":"object","properties":{"c":{"type":"null"},"d":{"type":"null"}},"required":["d","c"]}}}
        """)
    var request = TurnRequest(
      .standard, harness: .none, input: [.message(.user("hello"))],
      options: ChappieMessageOptions(outputSchema: schema), threadID: "7hread")
    request.declare([ChappieHarnessTool(name: "look", description: "", inputSchema: schema)])
    let body = String(
      decoding: ResponsesRequest(request, for: RequestModel(slug: "gpt-test", form: form)).encoded(), as: UTF8.self)
    let properties = """
      "properties":{"why":{"properties":{"d":{"type":"null"},"c":{"type":"null"}},"required":["d","c"],\
      "type":"object"},"answer":{"type":"string"},"extra":{"type":"null"}},"required":["why","answer"]
      """
    #expect(body.ranges(of: properties).count == 2)
    #expect(schema.json.contains(#""properties":{"answer""#))
  }

  /// The backend refuses these as strict schemas.
  @Test(arguments: [
    #"{"type":"array","items":{"type":"string"}}"#,
    #"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#,
    #"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}"#,
    #"{"type":"object","properties":{"a":{"minLength":1}},"required":["a"],"additionalProperties":false}"#,
    #"{"type":"object","properties":{"a":{"type":"object"}},"required":["a"],"additionalProperties":false}"#,
    #"{"type":"object","properties":{"a":{"items":{"oneOf":[]}}},"required":["a"],"additionalProperties":false}"#,
    #"{"type":"object","additionalProperties":false,"$defs":{"a":true}}"#,
  ])
  func aSchemaThatTheBackendDoesNotEnforceIsNotStrict(_ schema: String) throws {
    let options = ChappieMessageOptions(outputSchema: try ChappieJSONValue(json: schema))
    #expect(try Self.body(options: options)["text"]?["format"]?["strict"] == false)
  }

  /// The form for a model with `use_responses_lite` (protocol.md, 3.2).
  @Test func liteFormPutsToolsAndInstructionsIntoTheInput() throws {
    let harness = ChappieHarness(name: "", instructions: "Be brief.")
    let tool = ChappieHarnessTool(name: "brew", description: "Brews.")
    let declared: ChappieJSONValue = [
      "type": "function", "name": "brew", "description": "Brews.", "strict": false,
      "parameters": ["type": "object", "properties": [:], "additionalProperties": false],
    ]
    #expect(
      try Self.body(
        harness: harness, options: ChappieMessageOptions(reasoningEffort: .high), tools: [tool], form: .lite)
        == [
          "model": "gpt-test",
          "input": [
            ["type": "additional_tools", "id": "at_7ead", "role": "developer", "tools": [declared]],
            ["type": "message", "role": "developer", "content": [["type": "input_text", "text": "Be brief."]]],
            ["type": "message", "role": "user", "content": [["type": "input_text", "text": "hello"]]],
          ],
          "stream": true,
          "store": false,
          "tool_choice": "auto",
          "parallel_tool_calls": false,
          "reasoning": ["effort": "high", "context": "all_turns"],
          "include": ["reasoning.encrypted_content"],
          "prompt_cache_key": "7hread",
        ])
  }

  @Test func liteFormWithoutToolsDeclaresNone() throws {
    guard case .array(let items)? = try Self.body(form: .lite)["input"] else {
      Issue.record("no input")
      return
    }
    #expect(items.map { $0["role"] } == ["developer", "user"])
  }

  @Test func omitsAnUnchosenEffort() throws {
    guard case .object(let members) = try Self.body() else {
      Issue.record("no object")
      return
    }
    #expect(
      members.keys.sorted() == [
        "include", "input", "instructions", "model", "parallel_tool_calls", "prompt_cache_key", "store", "stream",
        "tool_choice",
      ])
  }

  @Test func fastModeIsLowEffort() throws {
    #expect(try Self.body(options: ChappieMessageOptions(fastMode: true))["reasoning"] == ["effort": "low"])
    #expect(
      try Self.body(options: ChappieMessageOptions(fastMode: true, reasoningEffort: .medium))["reasoning"]
        == ["effort": "medium"])
  }

  @Test func mapsEachRoleToARoleOfTheBackend() throws {
    let messages = ChappieInputMessage.Role.allCases.map { ChappieInputMessage(role: $0, text: "text") }
    guard case .array(let items)? = try Self.body(messages: messages)["input"] else {
      Issue.record("no input")
      return
    }
    let kinds = items.map { item -> [ChappieJSONValue?] in
      guard case .array(let content)? = item["content"] else { return [] }
      return [item["role"]] + content.map { $0["type"] }
    }
    #expect(
      kinds == [
        ["user", "input_text"], ["assistant", "output_text"], ["developer", "input_text"], ["developer", "input_text"],
      ])
  }

  // MARK: Instructions

  @Test func instructionsAreNeverEmpty() throws {
    guard case .string(let text)? = try Self.body(harness: .none)["instructions"] else {
      Issue.record("no instructions")
      return
    }
    #expect(!text.isEmpty)
  }

  @Test func messageInstructionsFollowTheHarness() throws {
    let options = ChappieMessageOptions(instructions: "In French.")
    let harness = ChappieHarness(name: "", instructions: "Be brief.")
    #expect(try Self.body(harness: harness, options: options)["instructions"] == "Be brief.\n\nIn French.")
    #expect(try Self.body(harness: .none, options: options)["instructions"] == "In French.")
    #expect(
      try Self.body(harness: harness, options: ChappieMessageOptions(instructions: ""))["instructions"] == "Be brief.")
  }

  @Test func defaultHarnessIsTheInstructions() throws {
    #expect(try Self.body(harness: .default)["instructions"] == .string(ChappieHarness.default.rendered))
  }

  @Test func encodesAnyTextUnchanged() throws {
    for text in ["\u{1}\u{1F}\u{7F}\"\\/\u{2028} 😀 \u{FEFF}\r\n", "{\"a\":1}", "e\u{301}", "\u{10FFFF}\u{FFFE}"] {
      #expect(try Self.text(of: Self.body(messages: [.user(text)]))?.utf8.elementsEqual(text.utf8) == true)
    }
  }

  /// A C string ends at U+0000, but the text after it must not be lost.
  @Test func replacesU0000() throws {
    #expect(try Self.text(of: Self.body(messages: [.user("\0a\0b")])) == "\u{FFFD}a\u{FFFD}b")
  }

  /// The text of the only message of `body`.
  private static func text(of body: ChappieJSONValue) -> String? {
    guard case .array(let items)? = body["input"], case .array(let parts)? = items.first?["content"],
      case .string(let text)? = parts.first?["text"]
    else { return nil }
    return text
  }
}
