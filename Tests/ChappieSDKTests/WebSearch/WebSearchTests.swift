// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Synchronization

/// Answers with a search of the web, from the stand-in.
struct WebSearchTests {
  private static let question = "search for night buses"

  /// What an answer told, and its end.
  private struct Answer {
    var text = ""
    var steps: [ChappieWebSearchStep] = []
    var sources: [ChappieCitation] = []
    /// How many of the sources came while the text had their place.
    var fitting = 0
    let response: ChappieResponse
  }

  @GLibActor
  private func ask(
    _ tools: TestClient, _ question: String = question, _ options: ChappieMessageOptions = .init(webSearch: .live)
  ) async throws -> Answer {
    var (text, steps, sources, fitting) = ("", [ChappieWebSearchStep](), [ChappieCitation](), 0)
    for try await event in tools.client.stream(.user(question, options: options)) {
      switch event {
      case .textDelta(let delta): text += delta
      case .webSearch(let step): steps.append(step)
      case .citation(let source):
        sources.append(source)
        if source.range.map({ $0.upperBound <= text.utf8.count }) ?? true { fitting += 1 }
      case .completed(let response):
        return Answer(text: text, steps: steps, sources: sources, fitting: fitting, response: response)
      default: break
      }
    }
    throw CancellationError()
  }

  private func parts(_ response: ChappieResponse) -> [String?] {
    response.citations.map { $0.range.map { String(decoding: Array(response.outputText.utf8)[$0], as: UTF8.self) } }
  }

  @Test func aClientSearchesForItsTurnsUnlessOneSaysOtherwise() async throws {
    try await TestClient.with(search: ChappieWebSearch(.cached, domains: ["example.org"])) { tools in
      #expect(try await ask(tools, Self.question, .init()).response.searches == 1)
      let sent = try ChappieJSONValue(json: String(decoding: tools.backend.state.lastResponsesBody, as: UTF8.self))
      #expect(sent["tools"]?.arrayValue?.last?["filters"] == ["allowed_domains": ["example.org"]])
      #expect(sent["instructions"]?.stringValue?.contains("- Searching the web for this answer.") == true)
      #expect(try await ask(tools, Self.question, .init(webSearch: .off)).response.searches == nil)
    }
  }

  /// No mark of the model is shown, and a wrong place is corrected.
  @Test(arguments: TestClient.policies)
  func anAnswerTellsItsSources(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { tools in
      for rule in ["{}", #"{"markers":true}"#, #"{"spans":"wrong"}"#] {
        try tools.backend.play(#"[{"endpoint":"responses","search":\#(rule),"times":1}]"#)
        let answer = try await ask(tools)
        let (text, citations) = (answer.text, answer.response.citations)
        #expect(answer.steps == [.searching([]), .searching(["night buses"]), .reading("example.org"), .done])
        #expect(answer.response.searches == 1 && citations.first?.title == "night buses, source 1")
        #expect(
          citations.map(\.url.address) == ["https://example.org/night-buses/1", "https://example.net/night-buses/2"])
        // They are told as they come.
        #expect(answer.sources.map(\.url) == citations.map(\.url) && answer.fitting == citations.count)
        #expect(answer.response.outputText == text && text.contains("Zürich"))
        #expect(!text.unicodeScalars.contains { (0xE200...0xE202).contains($0.value) })
        switch rule {
        case "{}":
          #expect(answer.sources == citations)
          #expect(
            parts(answer.response) == [
              "([example.org](https://example.org/night-buses/1))",
              "([example.net](https://example.net/night-buses/2))",
            ])
        case #"{"markers":true}"#:
          #expect(answer.sources == citations && !text.contains("cite"))
          #expect(citations.allSatisfy { $0.range?.isEmpty == true })
        default: for part in parts(answer.response) { #expect(part?.contains("example.") == true) }
        }
      }
    }
  }

  @Test func onlyWholeSearchesAreCounted() async throws {
    try await TestClient.with { tools in
      let unasked = try await ask(tools, Self.question, .init())
      #expect(unasked.steps.isEmpty && unasked.response.searches == nil && unasked.response.citations.isEmpty)
      #expect(try await ask(tools, "What is a bus?").response.searches == 0)
      try tools.backend.play(
        """
        [{"endpoint":"responses","search":{"failed":true},"times":1},
         {"endpoint":"responses","search":{"action":false},"times":1},
         {"endpoint":"responses","search":{},"drop_after":6,"times":1},
         {"endpoint":"responses","search":{},"times":1},
         {"endpoint":"responses","search":{},"drop_after":25,"times":1}]
        """)
      let failed = try await ask(tools).response
      #expect(failed.searches == 0 && failed.citations.isEmpty)
      let withoutAction = try await ask(tools)
      #expect(withoutAction.response.searches == 2 && withoutAction.steps.last == .done)
      // The search of an attempt that breaks does not count.
      #expect(try await ask(tools).response.searches == 1)
      // The backend repeats the sources after a reconnect.
      let again = try await ask(tools)
      #expect(!again.sources.isEmpty && again.sources == again.response.citations)
    }
  }

  /// What a page says may be written for the model.
  @Test func aToolNeedsApprovalAfterAPageWasRead() async throws {
    let asked = Mutex<[String]>([])
    let approval: ChappieToolApprovalHandler = { request in
      asked.withLock { $0.append(request.toolName) }
      return .denied(reason: "no")
    }
    try await TestClient.with(.httpSSEOnly, tools: [.named("delete")], approval: approval) { tools in
      try tools.backend.play(
        #"""
        [{"endpoint":"responses","times":1,"events":[
          {"type":"response.created","response":{"id":"r"}},
          {"type":"response.output_item.done","item":{"type":"web_search_call","status":"completed",
            "action":{"type":"open_page","url":"https://example.org/"}}},
          {"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"delete","arguments":"{}"}},
          {"type":"response.completed","response":{"id":"r"}}]}]
        """#)
      let results = try await tools.results("Go.")
      #expect(results.map(\.status) == [.denied])
      #expect(asked.withLock { $0 } == ["delete"])
      #expect(try await tools.results("use delete {}").map(\.status) == [.completed])
    }
  }

  @Test(arguments: TestClient.policies)
  func aConversationGoesOnWithoutRefusedSearches(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { tools in
      #expect(try await ask(tools).response.searches == 1)
      #expect(try await tools.client.send("And trams?").contains("3 messages"))
      try tools.backend.play(#"[{"endpoint":"responses","refuses_search_items":true,"times":10}]"#)
      #expect(try await tools.client.send("And ferries?").contains("And ferries?"))
      #expect(try await tools.client.send("And trains?").contains("And trains?"))
    }
  }

  @Test func aModelThatCannotSearchAndAWrongDomainAreNamed() async throws {
    try await TestClient.with { tools in
      let options = ChappieMessageOptions(webSearch: ChappieWebSearch(.live, domains: ["https://debian.org"]))
      await #expect(
        throws: ChappieClientError.invalidArgument("'https://debian.org' is no domain to search, such as debian.org.")
      ) {
        try await ask(tools, Self.question, options)
      }
      await tools.client.selectModel("gpt-5.6-luna")
      await #expect(throws: ChappieClientError.unsupportedCapability("web_search with gpt-5.6-luna")) {
        try await ask(tools)
      }
      let plain = try await tools.client.send("What is a bus?")
      #expect(plain.contains("bus"))
    }
  }

  @Test(arguments: [(400, "unsupported_value"), (403, "subscription_sharing_unsupported_capability")])
  func theBackendsReasonIsKept(_ status: Int, _ code: String) async throws {
    try await TestClient.with { tools in
      let error = #"{"code":"\#(code)","param":"tools","message":"Only function tools.\u202e"}"#
      try tools.backend.play(
        #"[{"endpoint":"responses","status":\#(status),"times":2,"body":{"error":\#(error)}}]"#)
      await #expect(
        throws: ChappieClientError.unsupportedCapability("web_search with gpt-6.1-sol: Only function tools")
      ) {
        try await ask(tools)
      }
      // Without a search the sentence is about the tools of the program.
      await #expect(throws: ChappieClientError.unsupportedCapability("tools")) { try await tools.client.send("Hi") }
    }
  }
}
