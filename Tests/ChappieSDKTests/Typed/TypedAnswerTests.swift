// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation

/// Answers of Swift types, from the stand-in.
@Suite(.timeLimit(.minutes(10))) @GLibActor struct TypedAnswerTests {
  struct Recipe: Codable, Hashable, ChappieDescribed {
    let title: String
    let minutes: Int
    let kind: Kind
    let steps: [String]
    let season: String?
    enum Kind: String, Codable, CaseIterable { case soup, cake }
    static let fieldDescriptions = ["minutes": ChappieFieldDescription("At the stove.", minimum: 5)]
  }
  private static let pie = #"{"title":"Pie","minutes":9,"kind":"cake","steps":["Mix.","Bake."],"season":null}"#
  private static let pieValue = Recipe(title: "Pie", minutes: 9, kind: .cake, steps: ["Mix.", "Bake."], season: nil)

  @Test(arguments: TestClient.policies)
  func anAnswerIsAValueOfTheSchemaThatTheBackendEnforces(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { world in
      let recipe = try await world.client.respond(to: "Soup", generating: Recipe.self)
      let said = "You said: “Soup” This conversation has 1 message."
      #expect(recipe == Recipe(title: said, minutes: 5, kind: .soup, steps: [said], season: said))
      #expect(await world.client.context().messages.count == 2)
      let body = String(decoding: world.backend.state.lastResponsesBody, as: UTF8.self)
      #expect(body.contains(#""properties":{"title":"#))
      let format = try ChappieJSONValue(json: body)["text"]?["format"]
      #expect(format?["strict"] == true)
      #expect(try format?["schema"] == ChappieSchema.of(Recipe.self).json)
    }
  }

  @Test func ownSchemasComeFirst() async throws {
    struct Loose: Decodable { let part: [String: Int] }
    let schema: ChappieJSONValue = ["type": "object", "properties": ["part": ["type": "object", "properties": [:]]]]
    try await TestClient.with(.httpSSEOnly) { world in
      let options = ChappieMessageOptions(outputSchema: schema)
      let loose = try await world.client.respond(to: "Go", generating: Loose.self, options: options)
      #expect(loose.part == [:])
      await #expect(throws: ChappieSchemaError.self) {
        try await world.client.respond(to: "Go", generating: Loose.self)
      }
      await #expect(throws: ChappieSchemaError.self) {
        for try await _ in world.client.stream("Go", generating: Loose.self) {}
      }
      #expect(world.backend.state.requests["responses"] == 1)
    }
  }

  // MARK: Streams

  @Test(arguments: TestClient.policies)
  func snapshotsGrowToTheWholeValue(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { world in
      let text = ChappieJSONValue.string("Let me see.\n\n" + Self.pie).json
      try world.backend.play(#"[{"endpoint": "responses", "delta_delay_ms": 20, "text": \#(text)}]"#)
      var snapshots: [ChappiePartial<Recipe>] = []
      for try await partial in world.client.stream("Pie", generating: Recipe.self) { snapshots.append(partial) }
      #expect(snapshots.dropLast().allSatisfy { !$0.isComplete })
      #expect(snapshots.last?.isComplete == true)
      #expect(snapshots.last?.value == Self.pieValue)
      #expect(snapshots.last?.json == (try ChappieJSONValue(json: Self.pie)))
      #expect(snapshots.count > 1)
    }
  }

  @Test func aReaderWhoIsCancelledSeesAnErrorUnlessTheAnswerIsWhole() async throws {
    try await TestClient.with { world in
      let stream = world.client.stream("Pie", generating: Recipe.self)
      let reader = Task { @GLibActor in
        withUnsafeCurrentTask { $0?.cancel() }
        for try await _ in stream {}
      }
      await #expect(throws: CancellationError.self) { try await reader.value }
      let whole = world.client.stream("Pie", generating: Recipe.self)
      let later = Task { @GLibActor in
        var recipe: Recipe?
        for try await partial in whole where partial.isComplete {
          recipe = partial.value
          withUnsafeCurrentTask { $0?.cancel() }
        }
        return recipe
      }
      let recipe = try await later.value
      #expect(recipe != nil)
    }
  }

  @Test func anErrorOfTheTypesOwnIsTold() async throws {
    struct NotEdible: LocalizedError { let errorDescription: String? = "Nobody eats this." }
    struct Dish: Decodable {
      init(from decoder: any Decoder) throws {
        if try decoder.singleValueContainer().decode([String: String].self) == ["name": "stone"] { throw NotEdible() }
      }
    }
    try await TestClient.with(.httpSSEOnly) { world in
      try world.backend.play(#"[{"endpoint": "responses", "text": "{\"name\": \"stone\"}"}]"#)
      let options = ChappieMessageOptions(outputSchema: ["type": "object"])
      await Self.expect("The answer cannot be used: dish: Nobody eats this.") {
        _ = try await world.client.respond(to: "Cook", generating: Dish.self, options: options)
      }
    }
  }

  @Test func theTextOfTheModelIsCutInAnError() async throws {
    try await TestClient.with(.httpSSEOnly) { world in
      let kind = String(repeating: "stew ", count: 1000)
      try world.backend.play(
        #"""
        [{"endpoint": "responses", "text": "{\"title\":\"a\",\"minutes\":1,\"kind\":\"\#(kind)\"}"}]
        """#)
      let error = await #expect(throws: ChappieTypedAnswerError.self) {
        try await world.client.respond(to: "Pie", generating: Recipe.self)
      }
      guard case .unfit(let reason, let answer)? = error else { return #expect(Bool(false)) }
      #expect(reason.hasPrefix("recipe.kind: ") && reason.count == 300)
      #expect(answer.contains(kind))
    }
  }

  // MARK: Failures

  private nonisolated static let failures: [(String, String)] =
    [
      (
        """
        "events":[{"type":"response.created","response":{"id":"r"}},
          {"type":"response.output_item.done","item":{"type":"message","role":"assistant","id":"m",
            "content":[{"type":"refusal","refusal":"I will not."}]}},
          {"type":"response.completed","response":{"id":"r"}}]
        """, "The model refuses to answer: I will not."
      ),
      (
        #"""
        "events":[{"type":"response.created","response":{"id":"r"}},
          {"type":"response.output_text.delta","delta":"{\"title\":"},
          {"type":"response.incomplete","response":{"id":"r","incomplete_details":{"reason":"max_output_tokens"}}}]
        """#, "The answer is incomplete (max_output_tokens)."
      ),
    ] + unfit.map { (#""text":\#(ChappieJSONValue.string($0).json)"#, "The answer cannot be used: \($1).") }

  private nonisolated static let unfit: [(String, String)] = [
    ("No.", "it is no JSON"), (#"{"title":1}"#, "recipe.title: must be a string"),
    (#"{"title":"a","minutes":1.5}"#, "recipe.minutes: must be a whole number that fits Int"),
    (#"{"title":"a","minutes":1,"kind":"cake","steps":["a",null]}"#, "recipe.steps[1]: must be a string"),
    (#"{"title":"a","minutes":1,"kind":"cake"}"#, "recipe: must have the property 'steps'"),
    (
      #"{"title":"a","minutes":1,"kind":"stew"}"#,
      "recipe.kind: Cannot initialize Kind from invalid String value stew"
    ),
  ]

  @Test(arguments: failures.indices)
  func anAnswerThatIsNoValueIsAnError(_ index: Int) async throws {
    let (rule, message) = Self.failures[index]
    try await TestClient.with(.httpSSEOnly) { world in
      try world.backend.play(#"[{"endpoint": "responses", "times": 2, \#(rule)}]"#)
      await Self.expect(message) { _ = try await world.client.respond(to: "Pie", generating: Recipe.self) }
      await Self.expect(message) { for try await _ in world.client.stream("Pie", generating: Recipe.self) {} }
    }
  }

  private static func expect(_ message: String, _ body: () async throws -> Void) async {
    do {
      try await body()
      Issue.record("no error")
    } catch {
      #expect("\(error)" == message)
      #expect(error.localizedDescription == message)
    }
  }
}
