// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import ChappieSDK

/// Tools with `Decodable` arguments.
@Suite(.timeLimit(.minutes(10))) @GLibActor struct TypedToolTests {
  struct Search: Decodable {
    let words: [String]
    let limit: Int?
  }
  struct Found: Encodable {
    let title: String
    let score: Double
  }
  struct Trip: Decodable {
    struct TooFar: LocalizedError { let errorDescription: String? = "This is too far." }
    enum CodingKeys: CodingKey { case miles }

    init(from decoder: any Decoder) throws {
      if try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .miles) > 100 { throw TooFar() }
    }
  }

  private static let text = ChappieHostTool("text", "Searches.") { (search: Search) in
    "found \(search.words.joined()), \(search.limit ?? 10) at most"
  }

  @Test func resultsAreTextOrJSON() async throws {
    let json = ChappieHostTool("json", "Searches.") { (search: Search) in
      [Found(title: search.words[0], score: 0.5)]
    }
    let result = ChappieHostTool("result", "Searches.") { (search: Search) in
      search.words.isEmpty ? ChappieToolResult(failure: "no words") : ChappieToolResult(output: "found")
    }
    let trip = ChappieHostTool("go", "Goes.") { (_: Trip) in "gone" }
    let rows: [(call: String, status: ChappieToolExecutionResult.Status, output: String)] = [
      (#"text {"words":["bus"],"limit":null}"#, .completed, "found bus, 10 at most"),
      (#"json {"words":["bus"],"limit":null}"#, .completed, #"[{"score":0.5,"title":"bus"}]"#),
      (#"result {"words":[],"limit":1}"#, .failed, "no words"),
      (
        #"text {"words":["bus"],"limit":1e30}"#, .failed,
        "The arguments do not fit: text.limit: must be a whole number that fits Int."
      ),
      (
        #"text {"words":[1],"limit":1}"#, .failed,
        "The arguments do not fit the tool's schema: /words/0: must be a string."
      ),
      // An error of the type's own.
      (#"go {"miles":101}"#, .failed, "The arguments do not fit: go: This is too far."),
    ]
    try await TestClient.with(.httpSSEOnly, tools: [Self.text, json, result, trip]) { tools in
      for row in rows {
        let results = try await tools.results("use \(row.call)")
        #expect(results.map(\.output) == [row.output])
        #expect(results.map(\.status) == [row.status])
      }
    }
  }

  @Test func theBackendEnforcesTheArguments() async throws {
    try await TestClient.with(.httpSSEOnly, tools: [Self.text, .named("plain")]) { tools in
      _ = try await tools.client.send("Hello")
      let body = try ChappieJSONValue(parsing: tools.backend.state.lastResponsesBody.span)
      let declared = body["input"]?.arrayValue?.first { $0["type"] == "additional_tools" }?["tools"]?.arrayValue
      #expect(declared?.map { $0["strict"] } == [true, false])
      #expect(try declared?.first?["parameters"] == ChappieSchema.of(Search.self).json)
    }
  }

  @Test func aSchemaThatIsNotStrictIsDeclaredAsSuch() throws {
    let tool = ChappieHarnessTool(name: "a", description: "", schema: ChappieSchema(["type": "object"]))
    #expect(!tool.isStrict)
    var strict = ChappieHarnessTool(name: "a", description: "", schema: try .of(Search.self))
    #expect(strict.isStrict)
    #expect(try JSONDecoder().decode(ChappieHarnessTool.self, from: JSONEncoder().encode(strict)).isStrict)
    #expect(
      try strict == ChappieHarnessTool(name: "a", description: "", inputSchema: ChappieSchema.of(Search.self).json))
    strict.inputSchema = ["type": "object"]
    #expect(!strict.isStrict)
  }

  @Test func aTypeWithoutASchemaFailsTheTurnUnlessOneIsSet() async throws {
    struct Table: Decodable { let cells: [String: Int] }
    let tool = ChappieHostTool("fill", "Fills.") { (table: Table) in "\(table.cells.count)" }
    try await TestClient.with(.httpSSEOnly, tools: [tool]) { tools in
      let message =
        "The arguments of the tool 'fill' have no schema: table.cells: a dictionary has no strict schema: use an array "
        + "of a struct with the key and the value."
      await #expect(throws: ChappieClientError.invalidArgument(message)) { try await tools.client.send("fill") }
      #expect(tools.backend.state.requests["responses"] == nil)
    }
    var manifest = tool.manifest
    manifest.inputSchema = ["type": "object"]
    #expect(throws: Never.self) { try manifest.argumentsSchema() }
  }
}
