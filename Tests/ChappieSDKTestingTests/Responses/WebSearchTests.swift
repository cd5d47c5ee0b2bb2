// SPDX-License-Identifier: Apache-2.0

/// Web search, at both doors.
@Suite @GLibActor struct WebSearchTests {
  private let client: BrowserClient
  private var wire: Wire { client.wire }

  init() async throws {
    client = try await BrowserClient.signedIn()
  }

  private nonisolated static let question = Body.user("search for bus  café\nplease")
  private nonisolated static let tool: [String: ChappieJSONValue] = ["tools": [["type": "web_search"]]]

  private func search(_ changes: [String: ChappieJSONValue] = [:]) async throws -> Wire.Response {
    try await wire.respond(Body.request([Self.question], Self.tool.merging(changes) { $1 }))
  }

  /// The answer with a member `search` of a rule.
  private func search(as rule: String) async throws -> [ChappieJSONValue] {
    try wire.backend.play(#"[{"endpoint": "responses", "search": \#(rule)}]"#)
    return try await search().events
  }

  private func annotations(_ events: [ChappieJSONValue]) -> [ChappieJSONValue] {
    events.items.last?["content"]?[0]?["annotations"]?.arrayValue ?? []
  }

  /// The characters of a citation; nil if it goes beyond the text.
  private func cited(_ citation: ChappieJSONValue, in text: String) -> String? {
    let scalars = Array(text.unicodeScalars)
    guard let start = citation["start_index"]?.integerValue, let end = citation["end_index"]?.integerValue,
      end <= scalars.count
    else { return nil }
    return String(String.UnicodeScalarView(scalars[Int(start)..<Int(end)]))
  }

  // MARK: The answer

  @Test func theCitationsCoverTheLinksInCodePoints() async throws {
    let events = try await search().events
    let links = ["org", "net"].enumerated().map { index, domain in
      "([example.\(domain)](https://example.\(domain)/bus-caf%C3%A9/\(index + 1)))"
    }
    let citations = annotations(events)
    #expect(citations.map { cited($0, in: events.text) } == links)
    #expect(citations.first?["title"] == "bus café, source 1")
    #expect(citations.allSatisfy { $0["type"] == "url_citation" })
    // The first has other indices in UTF-8 and UTF-16.
    let before = try #require(events.text.firstRange(of: links[0]).map { events.text[..<$0.lowerBound] })
    #expect(Set([before.utf8.count, before.utf16.count, before.unicodeScalars.count]).count == 3)

    let added = events.filter { $0.type == "response.output_text.annotation.added" }
    #expect(added.compactMap { $0["annotation"] } == citations)
    #expect(added.compactMap { $0["annotation_index"]?.integerValue } == [0, 1])
  }

  @Test func theItemsCanBeSentBack() async throws {
    let history = [Self.question] + (try await search().events.items) + [Body.user("Thanks")]
    let next = try await wire.respond(Body.request(history, Self.tool))
    #expect(next.events.text == "You said: “Thanks” This conversation has 3 messages.")
    #expect(next.events.items.map(\.type) == ["message"])
    try wire.backend.play(#"[{"endpoint": "api-responses", "refuses_search_items": true}]"#)
    let refused = try await client.respond(["input": .array(history)])
    #expect(refused.refusal == "400 invalid_request_error")
    #expect(refused.json["error", "param"] == "input[1]")
  }

  // MARK: The tool

  @Test func theToolHasManyMembers() async throws {
    let answer = try await search([
      "tools": [
        [
          "type": "web_search", "external_web_access": false, "search_context_size": "low",
          "filters": ["allowed_domains": ["debian.org"]],
          "user_location": ["type": "approximate", "country": "DE", "city": "Köln", "timezone": "Europe/Berlin"],
        ]
      ],
      "text": ["format": ["type": "json_schema", "name": "a", "schema": ["type": "object"]]],
    ])
    let items = answer.events.items
    #expect(items.map(\.type) == ["web_search_call", "web_search_call", "message"])
    #expect(items.last?["content"]?[0]?["text"] == "{}", "a search and an answer in JSON go together")
  }

  @Test func onlySourcesInTheAllowedDomainsAreCited() async throws {
    func addresses(_ domains: ChappieJSONValue) async throws -> (opened: [String], cited: [String]) {
      let events = try await search(["tools": [["type": "web_search", "filters": ["allowed_domains": domains]]]]).events
      return (
        events.items.compactMap { $0["action", "url"]?.stringValue },
        annotations(events).compactMap { $0["url"]?.stringValue }
      )
    }
    let second = "https://example.net/bus-caf%C3%A9/2"
    #expect(try await addresses(["example.net"]) == ([second], [second]))
    let first = "https://debian.org/bus-caf%C3%A9/"
    #expect(try await addresses(["debian.org", "ample.org"]) == ([first + "1"], [first + "1", first + "2"]))
  }

  @Test func refusesInvalidMembers() async throws {
    let invalid: [[String: ChappieJSONValue]] = [
      ["external_web_access": "no"], ["search_context_size": "huge"], ["depth": 3], ["filters": ["domains": []]],
      ["filters": ["allowed_domains": ["https://debian.org"]]],
      ["filters": ["allowed_domains": .array(Array(repeating: "debian.org", count: 101))]],
      ["filters": ["allowed_domains": [], "blocked_domains": []]], ["user_location": ["country": "DE"]],
      ["user_location": ["type": "approximate", "country": "Germany"]],
    ]
    for members in invalid {
      let tools: ChappieJSONValue = [Body.tool("clock"), .object(members.merging(["type": "web_search"]) { $1 })]
      for answer in [try await search(["tools": tools]), try await client.respond(["tools": tools])] {
        #expect(answer.refusal == "400 invalid_value", "\(members)")
        #expect(answer.json["error", "param"] == "tools[1]", "\(members)")
      }
    }
  }

  @Test func theLiteFormDoesNotSearch() async throws {
    let lite: [String: ChappieJSONValue] = ["parallel_tool_calls": false, "reasoning": ["context": "all_turns"]]
    let mark = ["x-openai-internal-codex-responses-lite": "true"]
    let refused = try await wire.respond(
      Body.request([Self.question], lite.merging(Self.tool) { $1 }), headers: mark)
    #expect(refused.status == 400)
    #expect(refused.json["error", "code"] == "unsupported_value")
    #expect(refused.json["error", "param"] == "tools")

    let tools: ChappieJSONValue = ["type": "additional_tools", "role": "developer", "tools": [["type": "web_search"]]]
    let ignored = try await wire.respond(Body.request([tools, Self.question], lite), headers: mark)
    #expect(ignored.events.items.map(\.type) == ["message"])
  }

  // MARK: Rules

  @Test func rulesLeaveOutWhatAnActionMayLack() async throws {
    #expect(try await search(as: #"{"action": false}"#).items.allSatisfy { $0["action"] == nil })
    #expect(try await search(as: #"{"queries": false}"#).items[0]["action"] == ["type": "search", "query": "bus café"])
    #expect(try await search(as: #"{"query": false, "queries": false}"#).items[0]["action"] == ["type": "search"])
  }
}
