// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct ToolValueTests {
  // MARK: Names and schemas

  @Test(arguments: ["a", "get_weather", "A-9_z", String(repeating: "x", count: 64)])
  func acceptsGoodNames(_ name: String) throws {
    #expect(throws: Never.self) { try ChappieHarnessTool(name: name, description: "").argumentsSchema() }
  }

  @Test(arguments: ["", "get weather", "wetter_für", "a.b", "a\n", "a\0", String(repeating: "x", count: 65)])
  func refusesBadNames(_ name: String) {
    let error = #expect(throws: ChappieClientError.self) {
      try ChappieHarnessTool(name: name, description: "").argumentsSchema()
    }
    #expect(error?.description.hasPrefix("A tool's name must have 1 to 64 letters") == true)
  }

  @Test(
    arguments: [[:], ["type": "string"], ["type": ["object", "null"]], true, .null, "object"] as [ChappieJSONValue])
  func schemaMustDescribeAnObject(_ schema: ChappieJSONValue) {
    let tool = ChappieHarnessTool(name: "look", description: "", inputSchema: schema)
    #expect(
      throws: ChappieClientError.invalidArgument(
        "The input schema of the tool 'look' must be a JSON Schema with type 'object'.")
    ) { try tool.argumentsSchema() }
  }

  @Test func errorNamesTheToolOfAnInvalidSchema() {
    let tool = ChappieHarnessTool(
      name: "look", description: "", inputSchema: ["type": "object", "properties": ["a": ["items": 1]]])
    #expect(
      throws: ChappieClientError.invalidArgument(
        "The input schema of the tool 'look' cannot be used: #/properties/a/items must be an object, true or false.")
    ) { try tool.argumentsSchema() }
  }

  @Test func toolWithoutArgumentsTakesNone() throws {
    let schema = try ChappieHarnessTool(name: "look", description: "").argumentsSchema()
    #expect(schema.violation(in: [:]) == nil)
    #expect(schema.violation(in: ["a": 1]) == "/: must not have the property 'a'")
  }

  // MARK: Calls and results

  @Test func readsValidArgumentsOfACall() {
    #expect(ChappieToolCall(id: "c", name: "n", arguments: #"{"a":1}"#).argumentsJSON == ["a": 1])
    #expect(ChappieToolCall(id: "c", name: "n", arguments: "{").argumentsJSON == nil)
  }

  @Test func resultRecordsWhetherItFailed() {
    #expect(!ChappieToolResult(output: "done").isFailure)
    #expect(ChappieToolResult(failure: "no network").isFailure)
    #expect(ChappieToolResult(failure: "no network").output == "no network")
    #expect(ChappieToolResult(output: ["b": 1, "a": 2]).output == #"{"a":2,"b":1}"#)
  }

  @Test func decisionsContainTheirReason() {
    #expect(ChappieApprovalDecision.approved() == .approve)
    #expect(ChappieApprovalDecision.denied() == .deny(reason: nil))
    #expect(ChappieApprovalDecision.denied(reason: "not now") == .deny(reason: "not now"))
  }

  @Test func hostToolHasAManifestAndRuns() async throws {
    let tool = ChappieHostTool(
      name: "echo", description: "Repeats.", inputSchema: ["type": "object"], policy: .ask, timeLimit: .seconds(5)
    ) { call in
      ChappieToolResult(output: call.arguments)
    }
    #expect(
      tool.manifest
        == ChappieHarnessTool(name: "echo", description: "Repeats.", inputSchema: ["type": "object"], policy: .ask))
    #expect(tool.name == "echo" && tool.timeLimit == .seconds(5))
    let result = try await tool.handler(ChappieToolCall(id: "c", name: "echo", arguments: "{}"))
    #expect(result == ChappieToolResult(output: "{}"))
    #expect(ChappieHostTool(tool.manifest, handler: tool.handler).timeLimit == .seconds(60))
  }
}
