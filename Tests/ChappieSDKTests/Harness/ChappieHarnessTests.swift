// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

@testable import ChappieSDK

struct ChappieHarnessTests {
  private static let notes = ChappieHarness(
    name: "Notes", summary: "Keeps notes.", instructions: "Be brief.", capabilities: ["Listing notes.", "Search."],
    tools: [
      ChappieHarnessTool(name: "find", description: "Finds notes.", inputSchema: ["type": "object"]),
      ChappieHarnessTool(name: "write", description: "Writes one.", policy: .ask),
      ChappieHarnessTool(name: "wipe", description: "", policy: .deny),
    ],
    plugins: [
      ChappieHarnessPlugin(name: "Tags", description: "Adds tags.", version: "1.2.0"),
      ChappieHarnessPlugin(name: "Stars", description: ""),
    ])

  @Test func rendersAllItsParts() {
    #expect(
      Self.notes.rendered == """
        Be brief.

        App: Notes
        Keeps notes.

        Capabilities:
        - Listing notes.
        - Search.

        Tools:
        - find: Finds notes.
        - write: Writes one. (The user is asked before it runs.)
        - wipe (It is switched off: do not call it.)

        Plugins:
        - Tags 1.2.0: Adds tags.
        - Stars
        """)
  }

  @Test func omitsEmptyParts() {
    #expect(ChappieHarness(name: "Notes", instructions: "").rendered == "App: Notes")
    #expect(ChappieHarness(name: "", instructions: "Be brief.").rendered == "Be brief.")
    #expect(ChappieHarness(name: "", instructions: "", capabilities: ["A"]).rendered == "Capabilities:\n- A")
    #expect(ChappieHarness.none.rendered == "")
  }

  /// The seeds require that the default forbids the model to pose as the Codex desktop app or another Codex surface.
  @Test func guardrailIsKeptUnlessReplaced() {
    let guardrail = ChappieHarness.defaultInstructions
    for part in [
      "Codex desktop app", "Codex command line", "any other Codex surface", "never present yourself as one",
      "capabilities and tools and nothing else", "Never say that you did, or can do, what is not declared",
    ] {
      #expect(guardrail.contains(part))
    }
    #expect(ChappieHarness.default.rendered.hasPrefix(guardrail))
    #expect(ChappieHarness(name: "Notes").rendered.contains(guardrail))
    #expect(!ChappieHarness(name: "Notes", instructions: "Other.").rendered.contains("Codex"))
    let inline = ChappieHarness.inline("Help with cooking.")
    #expect(inline.name == "Inline Harness")
    #expect(inline.instructions == guardrail + "\n\nHelp with cooking.")
    #expect(inline.capabilities.isEmpty && inline.tools.isEmpty && inline.plugins.isEmpty)
    let dish = "cooking"
    #expect(inline == "Help with cooking." && inline == "Help with \(dish).")
  }

  // MARK: Tools

  @Test func refusesDuplicateTools() throws {
    let tool = ChappieHarnessTool(name: "find", description: "")
    #expect(throws: ChappieClientError.invalidArgument("The harness declares the tool 'find' twice.")) {
      try ChappieHarness(tools: [tool, tool]).argumentsSchemas()
    }
  }

  @Test(arguments: ["", "get weather", "wetter_für", "a.b", "a\n", "a\0", String(repeating: "x", count: 65)])
  func refusesBadNames(_ name: String) {
    let harness = ChappieHarness(tools: [ChappieHarnessTool(name: name, description: "")])
    let error = #expect(throws: ChappieClientError.self) { try harness.argumentsSchemas() }
    #expect(error?.description.hasPrefix("A tool's name must have 1 to 64 letters") == true)
  }

  @Test(arguments: ["a", "get_weather", "A-9_z", String(repeating: "x", count: 64)])
  func aToolWithAGoodNameTakesNoArgumentsByDefault(_ name: String) throws {
    let schema = try ChappieHarnessTool(name: name, description: "").argumentsSchema()
    #expect(schema.violation(in: [:]) == nil)
    #expect(schema.violation(in: ["a": 1]) == "/: must not have the property 'a'")
  }

  private static let noObject = "must be a JSON Schema with type 'object'."

  @Test(
    arguments: [
      (.object([:]), noObject), (.object(["type": .array(["object", "null"])]), noObject), (true, noObject),
      (.null, noObject),
      (
        ["type": "object", "properties": ["a": ["items": 1]]],
        "cannot be used: #/properties/a/items must be an object, true or false."
      ),
    ] as [(ChappieJSONValue, String)])
  func schemaMustDescribeAnObject(_ schema: ChappieJSONValue, _ reason: String) {
    let tool = ChappieHarnessTool(name: "look", description: "", inputSchema: schema)
    #expect(throws: ChappieClientError.invalidArgument("The input schema of the tool 'look' \(reason)")) {
      try tool.argumentsSchema()
    }
  }

  // MARK: Coding

  private static func decode(_ text: String) throws -> ChappieHarness {
    try JSONDecoder().decode(ChappieHarness.self, from: Data(text.utf8))
  }

  @Test(arguments: [notes, .default, .none, "Be kind.", ChappieHarnessSamples.inventory])
  func codingRoundTrips(_ harness: ChappieHarness) throws {
    let encoded = try JSONEncoder().encode(harness)
    #expect(try JSONDecoder().decode(ChappieHarness.self, from: encoded) == harness)
  }

  @Test func omittedFieldsGetDefaults() throws {
    #expect(try Self.decode("{}") == ChappieHarness())
    #expect(try Self.decode(#"{"name":"A","tools":null,"later":1}"#) == ChappieHarness(name: "A"))
    let tool = try Self.decode(#"{"tools":[{"name":"t"}]}"#).tools
    #expect(tool == [ChappieHarnessTool(name: "t", description: "")])
  }

  @Test(arguments: [
    ("[]", "In the harness, a JSON object is expected."),
    (#"{"name":1}"#, "The field 'name' of the harness must be a string."),
    (#"{"capabilities":["a",1]}"#, "The field 'capabilities' of the harness must be an array of strings."),
    (#"{"tools":{}}"#, "The field 'tools' of the harness must be an array."),
    (#"{"tools":[1]}"#, "In number 1 in 'tools' of the harness, a JSON object is expected."),
    (#"{"tools":[{}]}"#, "The field 'name' of number 1 in 'tools' of the harness is missing."),
    (
      #"{"tools":[{"name":"a","strict":1}]}"#,
      "The field 'strict' of number 1 in 'tools' of the harness must be true or false."
    ),
    (#"{"tools":[{"name":"a","policy":"never"}]}"#, "There is no tool policy 'never': use automatic, ask or deny."),
    (
      #"{"tools":[{"name":"a b"}]}"#,
      "A tool's name must have 1 to 64 letters, digits, '_' or '-' of ASCII, not 'a b'."
    ),
    (
      #"{"plugins":[{"name":""}]}"#,
      "The field 'name' of number 1 in 'plugins' of the harness must be a string that is not empty."
    ),
  ])
  func errorNamesTheField(_ text: String, _ problem: String) throws {
    let error = #expect(throws: DecodingError.self) { try Self.decode(text) }
    guard case .dataCorrupted(let context) = error else { throw UnmetCondition("the error") }
    #expect(context.debugDescription == problem)
  }
}

struct ChappieHarnessSamplesTests {
  @Test(arguments: ChappieHarnessSamples.named.sorted { $0.key < $1.key }.map(\.value))
  func eachSampleIsValid(_ sample: ChappieHarness) throws {
    #expect(sample.rendered.contains("Codex desktop app"))
    #expect(!sample.name.isEmpty && !sample.summary.isEmpty && !sample.capabilities.isEmpty)
    #expect(try sample.argumentsSchemas().count == sample.tools.count)
    #expect(sample.tools.count >= 3)
  }
}
