// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import ChappieSDK

struct HarnessCodingTests {
  private static func decode(_ text: String) throws -> ChappieHarness {
    try JSONDecoder().decode(ChappieHarness.self, from: Data(text.utf8))
  }

  private static let full = ChappieHarness(
    name: "Notes", summary: "Keeps notes.", instructions: "Be brief.", capabilities: ["Search."],
    tools: [
      ChappieHarnessTool(name: "search", description: "Finds.", inputSchema: ["type": "object"], policy: .ask)
    ],
    plugins: [
      ChappieHarnessPlugin(name: "Tags", description: "Adds tags.", version: "1.2.0"),
      ChappieHarnessPlugin(name: "Stars", description: "Adds stars."),
    ])

  @Test(arguments: [full, .default, .none, "Be kind.", ChappieHarnessSamples.inventory])
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
    (#"{"capabilities":"a"}"#, "The field 'capabilities' of the harness must be an array of strings."),
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
      #"{"tools":[{"name":"a","inputSchema":{}}]}"#,
      "The input schema of the tool 'a' must be a JSON Schema with type 'object'."
    ),
    (
      #"{"plugins":[{"name":""}]}"#,
      "The field 'name' of number 1 in 'plugins' of the harness must be a string that is not empty."
    ),
  ])
  func errorNamesTheField(_ text: String, _ problem: String) throws {
    let error = #expect(throws: DecodingError.self) { try Self.decode(text) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(context.debugDescription == problem)
  }
}
