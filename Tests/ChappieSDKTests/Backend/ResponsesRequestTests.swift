// SPDX-License-Identifier: Apache-2.0
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
    let strict: ChappieJSONValue = [
      "type": "object", "properties": ["a": ["type": "string"]], "required": ["a"], "additionalProperties": false,
    ]
    // The backend refuses others as strict schemas.
    for (schema, isStrict) in [(strict, true), (["type": "array"], false)] as [(ChappieJSONValue, Bool)] {
      let format: ChappieJSONValue = [
        "format": [
          "type": "json_schema", "name": "codex_output_schema", "strict": .bool(isStrict), "schema": schema,
        ]
      ]
      #expect(try Self.body(options: ChappieMessageOptions(outputSchema: schema), form: form)["text"] == format)
    }
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

  @Test func whatIsNotChosenIsLeftOut() throws {
    #expect(try Self.body(options: ChappieMessageOptions(fastMode: true))["reasoning"] == ["effort": "low"])
    #expect(
      try Self.body(options: ChappieMessageOptions(fastMode: true, reasoningEffort: .medium))["reasoning"]
        == ["effort": "medium"])
    let plain = try #require(try Self.body().objectValue)
    #expect(plain["reasoning"] == nil && plain["text"] == nil)
    // Without tools the lite form declares none.
    #expect(try Self.body(form: .lite)["input"]?.arrayValue?.map { $0["role"] } == ["developer", "user"])
  }

  @Test func mapsEachRoleToARoleOfTheBackend() throws {
    let messages = ChappieInputMessage.Role.allCases.map { ChappieInputMessage(role: $0, text: "text") }
    let items = try #require(try Self.body(messages: messages)["input"]?.arrayValue)
    let kinds = items.map { item -> [ChappieJSONValue?] in
      [item["role"]] + (item["content"]?.arrayValue ?? []).map { $0["type"] }
    }
    #expect(
      kinds == [
        ["user", "input_text"], ["assistant", "output_text"], ["developer", "input_text"], ["developer", "input_text"],
      ])
  }

  @Test func messageInstructionsFollowTheHarness() throws {
    let options = ChappieMessageOptions(instructions: "In French.")
    let harness = ChappieHarness(name: "", instructions: "Be brief.")
    #expect(try Self.body(harness: harness, options: options)["instructions"] == "Be brief.\n\nIn French.")
    #expect(try Self.body(harness: .none, options: options)["instructions"] == "In French.")
    #expect(
      try Self.body(harness: harness, options: ChappieMessageOptions(instructions: ""))["instructions"] == "Be brief.")
    #expect(try Self.body(harness: .default)["instructions"] == .string(ChappieHarness.default.rendered))
    // They are never empty.
    #expect(try Self.body(harness: .none)["instructions"]?.stringValue?.isEmpty == false)
  }

  /// A C string ends at U+0000, but the text after it must not be lost.
  @Test func encodesAnyTextUnchangedButForU0000() throws {
    for text in [
      "\u{1}\u{1F}\u{7F}\"\\/\u{2028} 😀 \u{FEFF}\r\n", "{\"a\":1}", "e\u{301}", "\u{10FFFF}\u{FFFE}", "\0a\0b",
    ] {
      let body = try Self.body(messages: [.user(text)])
      let sent = body["input"]?[0]?["content"]?[0]?["text"]?.stringValue
      #expect(sent?.utf8.elementsEqual(text.replacing("\0", with: "\u{FFFD}").utf8) == true)
    }
  }

  // MARK: The effort

  private static func effort(_ wanted: String?, _ listed: [String]?, ultra: String? = nil) -> String? {
    RequestModel(slug: "m", efforts: listed, ultra: ultra)
      .effort(wanted.map { ChappieReasoningEffort(rawValue: $0) })
  }

  private static let usual = ["low", "medium", "high", "xhigh"]

  @Test(
    arguments: [
      ("xhigh", usual, "xhigh"), ("thorough", ["thorough"], "thorough"), (nil, usual, nil),
      ("minimal", usual, "low"), ("minimal", ["minimal", "low"], "minimal"), ("medium", ["low", "max"], "max"),
      ("max", usual, "xhigh"),
      // No effort differs from low effort, so the nearest listed effort does not replace it.
      ("none", usual, "none"),
      // An unknown word.
      ("turbo", usual, "turbo"), ("low", [], nil), ("minimal", nil, "minimal"),
    ] as [(String?, [String]?, String?)])
  func sendsTheNearestListedEffort(_ wanted: String?, _ listed: [String]?, _ sent: String?) {
    #expect(Self.effort(wanted, listed) == sent)
  }

  /// The backend does not accept `ultra` in a request; only users see this word.
  @Test func replacesUltraByTheModelsOwnEffort() {
    let listed = Self.usual + ["max", "ultra"]
    #expect(Self.effort("ultra", listed, ultra: "xhigh") == "xhigh")
    #expect(Self.effort("ultra", listed) == "max")
    #expect(Self.effort("ultra", Self.usual) == "xhigh")
    #expect(Self.effort("ultra", ["ultra"]) == nil)
    #expect(Self.effort("ultra", nil) == "xhigh")
  }
}
