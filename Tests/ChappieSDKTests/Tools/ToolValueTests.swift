// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct ToolValueTests {
  @Test(arguments: ["", "get weather", "wetter_für", "a.b", "a\n", "a\0", String(repeating: "x", count: 65)])
  func refusesBadNames(_ name: String) {
    let error = #expect(throws: ChappieClientError.self) {
      try ChappieHarnessTool(name: name, description: "").argumentsSchema()
    }
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
      (.object([:]), noObject), (.object(["type": "string"]), noObject),
      (.object(["type": .array(["object", "null"])]), noObject), (true, noObject), (.null, noObject),
      ("object", noObject),
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

  @Test func hostToolHasAManifestAndRuns() async throws {
    let manifest = ChappieHarnessTool(
      name: "echo", description: "Repeats.", inputSchema: ["type": "object"], policy: .ask)
    let tool = ChappieHostTool(
      name: "echo", description: "Repeats.", inputSchema: ["type": "object"], policy: .ask, timeLimit: .seconds(5)
    ) { call in
      call.argumentsJSON.map { ChappieToolResult(output: $0) } ?? ChappieToolResult(failure: "no JSON")
    }
    #expect(tool.manifest == manifest && tool.name == "echo" && tool.timeLimit == .seconds(5))
    let result = try await tool.handler(ChappieToolCall(id: "c", name: "echo", arguments: #"{"b":1,"a":2}"#))
    #expect(result.output == #"{"a":2,"b":1}"# && !result.isFailure)
    let failure = try await tool.handler(ChappieToolCall(id: "c", name: "echo", arguments: "{"))
    #expect(failure.output == "no JSON" && failure.isFailure)
    #expect(ChappieHostTool(manifest, handler: tool.handler).timeLimit == .seconds(60))
  }
}
