// SPDX-License-Identifier: Apache-2.0
@testable import ChappieService

struct TurnDecodingTests {
  @Test func readsEveryOption() throws {
    let options = try TurnOptions([
      "fast_mode": true, "reasoning_effort": "high", "model": "gpt-test", "instructions": "Be brief.",
      "output_schema": #"{"type":"object"}"#, "broadcast": true, "background": true,
      "continue": true, "web_search": "off",
    ])
    #expect(
      options.message
        == ChappieMessageOptions(
          fastMode: true, reasoningEffort: .high, model: "gpt-test", instructions: "Be brief.",
          outputSchema: ["type": "object"], webSearch: .off))
    #expect(options.broadcast)
    #expect(options.background)
    #expect(options.part == .next)
    #expect(try TurnOptions(["begin": true]).part == .first)
    #expect(throws: BusError.self) { try TurnOptions(["begin": true, "continue": true]) }
  }

  @Test func withoutKnownOptionsAllAreOff() throws {
    for options in [try TurnOptions([:]), try TurnOptions(["later": true, "Broadcast": true, "fast-mode": true])] {
      #expect(options.message == ChappieMessageOptions())
      #expect(!options.broadcast && !options.background)
      #expect(options.part == .none)
    }
  }

  @Test func filesAreNamesOrDescriptors() throws {
    let names = try TurnOptions(["files": ["/a.pdf"]])
    #expect(names.attachments.files == ["/a.pdf"] && names.handles.isEmpty)
    let passed = try TurnOptions(["files": [DescriptorHandle(index: 1), DescriptorHandle(index: 0)]])
    #expect(passed.attachments.files.isEmpty && passed.handles.map(\.index) == [1, 0])
    #expect(try TurnOptions(["files": [DescriptorHandle]()]).handles.isEmpty)
    let error = #expect(throws: BusError.self) {
      try TurnOptions(["files": Array(repeating: DescriptorHandle(), count: 17)])
    }
    #expect(error?.name == ErrorName.limitExceeded.busName)
    #expect(throws: VariantError(key: "files", expected: "as", found: "h")) {
      try TurnOptions(["files": DescriptorHandle()])
    }
  }

  @Test(arguments: [("fast_mode", "b"), ("model", "s"), ("broadcast", "b"), ("begin", "b"), ("output_schema", "s")])
  func theErrorNamesAnOptionOfTheWrongType(_ key: String, _ type: String) {
    var options = VariantDictionary()
    options.set(key, UInt64(1))
    #expect(throws: VariantError(key: key, expected: type, found: "t")) { try TurnOptions(options) }
  }

  @Test(arguments: ["model", "reasoning_effort"], ["", "a\nb"])
  func rejectsInvalidNames(_ key: String, _ name: String) {
    var options = VariantDictionary()
    options.set(key, name)
    let error = #expect(throws: BusError.self) { try TurnOptions(options) }
    #expect(error?.name == ErrorName.invalidArgument.busName)
    #expect(error?.message.contains("'\(key)'") == true)
  }

  @Test(arguments: [
    ("{", ErrorName.invalidArgument), ("5", .invalidArgument),
    (String(repeating: " ", count: JSONSchema.textLimit + 1), .limitExceeded),
    ("[" + String(repeating: "0,", count: JSONSchema.valueLimit) + "0]", .limitExceeded),
  ])
  func rejectsAnInvalidOutputSchema(_ text: String, _ name: ErrorName) {
    let error = #expect(throws: BusError.self) { try TurnOptions(["output_schema": text]) }
    #expect(error?.name == name.busName)
    #expect(error?.message.hasPrefix("'output_schema' ") == true)
  }

  // MARK: Transcripts

  @Test func readsATranscript() throws {
    let transcript = try Variant(
      parsing: "[('user', 'hello'), ('assistant', 'hi'), ('system', 's'), ('developer', '')]", type: "a(ss)")
    let messages = try [TranscriptEntry](variant: transcript).map { try $0.message() }
    #expect(
      messages == [
        .user("hello"), .assistant("hi"), .system("s"), ChappieInputMessage(role: .developer, text: ""),
      ])
    #expect(try [TranscriptEntry](variant: Variant(parsing: "[]", type: "a(ss)")).isEmpty)
  }

  @Test(arguments: ["", "User", "tool"])
  func theErrorForAnUnknownRoleListsTheKnown(_ role: String) throws {
    let entry = try TranscriptEntry(variant: .tuple(role, "text"))
    let error = #expect(throws: BusError.self) { try entry.message() }
    #expect(error?.name == ErrorName.invalidArgument.busName)
    #expect(error?.message.contains("'\(role)'") == true)
    for known in ChappieInputMessage.Role.allCases { #expect(error?.message.contains(known.rawValue) == true) }
  }

  // MARK: Details of an ended turn

  @Test func theDetailsContainTheTokenUsage() throws {
    let usage = ChappieTokenUsage(inputTokens: 1, cachedInputTokens: 2, outputTokens: 3, reasoningTokens: 4)
    let response = ChappieResponse(outputText: "text", responseID: "resp_1", model: "gpt-test", usage: usage)
    #expect(
      response.details == [
        "model": "gpt-test", "response_id": "resp_1", "input_tokens": UInt64(1), "cached_input_tokens": UInt64(2),
        "output_tokens": UInt64(3), "reasoning_tokens": UInt64(4),
      ])
    // A negative number of a server must not trap the conversion to UInt64.
    let negative = ChappieResponse(
      outputText: "", responseID: "", model: "", usage: ChappieTokenUsage(inputTokens: -1, outputTokens: .min))
    #expect(try negative.details.value("input_tokens") == UInt64(0))
    #expect(try negative.details.value("output_tokens") == UInt64(0))
  }

  @GLibActor @Test func theDetailsContainTheResultOfATurn() {
    let error = BusError(.network, "It broke off.")
    #expect(ServiceTurn.Status.running.details.isEmpty)
    #expect(ServiceTurn.Status.completed(.sample).details == ChappieResponse.sample.details)
    let expected: VariantDictionary = [
      "partial_text": "te", "error": "org.chappie.Error.Network", "message": "It broke off.",
    ]
    #expect(ServiceTurn.Status.failed(error, ["partial_text": "te"]).details == expected)
    #expect(ServiceTurn.Status.cancelled(error, ["partial_text": "te"]).details == expected)
  }
}
