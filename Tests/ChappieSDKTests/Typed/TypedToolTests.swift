import ChappieSDKTesting
import Foundation
import GLibBridge
import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// Tools with `Decodable` arguments.
@Suite(.timeLimit(.minutes(1))) @GLibActor struct TypedToolTests {
  struct Search: Decodable {
    let words: [String]
    let limit: Int?
  }
  struct Found: Encodable {
    let title: String
    let score: Double
  }
  private nonisolated static let call = #"{"words":["bus"],"limit":null}"#

  private static let text = ChappieHostTool("search", "Searches.") { (search: Search) in
    "found \(search.words.joined()), \(search.limit ?? 10) at most"
  }
  private static let json = ChappieHostTool("search", "Searches.") { (search: Search) in
    [Found(title: search.words[0], score: 0.5)]
  }
  private static let result = ChappieHostTool("search", "Searches.") { (search: Search) in
    search.words.isEmpty ? ChappieToolResult(failure: "no words") : ChappieToolResult(output: "found")
  }

  @Test func resultsAreTextOrJSON() async throws {
    let outputs = [
      (Self.text, Self.call, ChappieToolExecutionResult.Status.completed, "found bus, 10 at most"),
      (Self.json, Self.call, .completed, #"[{"score":0.5,"title":"bus"}]"#),
      (Self.result, #"{"words":[],"limit":1}"#, .failed, "no words"),
      (
        Self.text, #"{"words":["bus"],"limit":1e30}"#, .failed,
        "The arguments do not fit: search.limit: must be a whole number that fits Int."
      ),
      (
        Self.text, #"{"words":[1],"limit":1}"#, .failed,
        "The arguments do not fit the tool's schema: /words/0: must be a string."
      ),
    ]
    for (tool, arguments, status, output) in outputs {
      try await TestClient.with(.httpSSEOnly, tools: [tool]) { tools in
        let results = try await tools.results("use search \(arguments)")
        #expect(results.map(\.output) == [output])
        #expect(results.map(\.status) == [status])
      }
    }
  }

  @Test func anErrorOfTheTypesOwnIsTold() async throws {
    struct TooFar: LocalizedError { let errorDescription: String? = "This is too far." }
    struct Trip: Decodable {
      let miles: Int
      enum CodingKeys: CodingKey { case miles }
      init(from decoder: any Decoder) throws {
        miles = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .miles)
        if miles > 100 { throw TooFar() }
      }
    }
    let tool = ChappieHostTool("go", "Goes.") { (trip: Trip) in "\(trip.miles)" }
    try await TestClient.with(.httpSSEOnly, tools: [tool]) { tools in
      let results = try await tools.results(#"use go {"miles":101}"#)
      #expect(results.map(\.output) == ["The arguments do not fit: go: This is too far."])
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

  @Test func aTypeWithoutASchemaFailsTheTurn() async throws {
    struct Table: Decodable { let cells: [String: Int] }
    let tool = ChappieHostTool("fill", "Fills.") { (table: Table) in "\(table.cells.count)" }
    try await TestClient.with(.httpSSEOnly, tools: [tool]) { tools in
      let message =
        "The arguments of the tool 'fill' have no schema: table.cells: a dictionary has no strict schema: use an array "
        + "of a struct with the key and the value."
      await #expect(throws: ChappieClientError.invalidArgument(message)) { try await tools.client.send("fill") }
      #expect(tools.backend.state.requests["responses"] == nil)
    }
  }

  @Test func aSchemaThatIsSetReplacesTheMissingOne() throws {
    struct Table: Decodable { let cells: [String: Int] }
    var manifest = ChappieHostTool("fill", "Fills.") { (table: Table) in "\(table.cells.count)" }.manifest
    #expect(throws: ChappieClientError.self) { try manifest.argumentsSchema() }
    manifest.inputSchema = ["type": "object"]
    #expect(throws: Never.self) { try manifest.argumentsSchema() }
  }

  @Test func theModelGetsTheSentenceOfAnError() async throws {
    struct ShopClosed: LocalizedError { var errorDescription: String? { "The shop is closed." } }
    let tool = ChappieHostTool("buy", "Buys.") { (_: Search) -> String in throw ShopClosed() }
    try await TestClient.with(.httpSSEOnly, tools: [tool]) { tools in
      let results = try await tools.results("use buy \(Self.call)")
      #expect(results.map(\.output) == ["The tool failed: The shop is closed."])
      #expect(results.map(\.status) == [.failed])
    }
  }
}
