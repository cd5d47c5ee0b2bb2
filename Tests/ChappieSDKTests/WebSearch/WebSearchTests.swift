// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Synchronization
import Testing

/// Answers with a search of the web, from the stand-in.
struct WebSearchTests {
  private static let question = "search for night buses"

  /// The events of an answer, without its text.
  @GLibActor
  private func ask(
    _ tools: TestClient, _ question: String = question, _ options: ChappieMessageOptions = .init(webSearch: .live)
  ) async throws -> (steps: [ChappieWebSearchStep], response: ChappieResponse) {
    var steps: [ChappieWebSearchStep] = []
    for try await event in tools.client.stream(.user(question, options: options)) {
      if case .webSearch(let step) = event { steps.append(step) }
      if case .completed(let response) = event { return (steps, response) }
    }
    throw CancellationError()
  }

  private func parts(_ response: ChappieResponse) -> [String?] {
    response.citations.map { $0.range.map { String(decoding: Array(response.outputText.utf8)[$0], as: UTF8.self) } }
  }

  @Test(arguments: TestClient.policies)
  func anAnswerTellsItsSources(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { tools in
      let (steps, response) = try await ask(tools)
      #expect(steps == [.searching([]), .searching(["night buses"]), .reading("example.org"), .done])
      #expect(response.searches == 1)
      #expect(
        response.citations.map(\.url.address) == [
          "https://example.org/night-buses/1", "https://example.net/night-buses/2",
        ])
      #expect(response.citations.first?.title == "night buses, source 1")
      #expect(
        parts(response) == [
          "([example.org](https://example.org/night-buses/1))", "([example.net](https://example.net/night-buses/2))",
        ])
    }
  }

  @Test func nothingIsSearchedUnlessAsked() async throws {
    try await TestClient.with { tools in
      let (steps, response) = try await ask(tools, Self.question, .init())
      #expect(steps.isEmpty && response.searches == nil && response.citations.isEmpty)
    }
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

  @Test(arguments: TestClient.policies)
  func sourcesAreToldAsTheyCome(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { tools in
      for rule in ["{}", #"{"markers":true}"#, #"{"spans":"wrong"}"#] {
        try tools.backend.play(#"[{"endpoint":"responses","search":\#(rule),"times":1}]"#)
        let (fitting, told, response) = try await sources(of: tools)
        #expect(told.map(\.url) == response.citations.map(\.url))
        if rule != #"{"spans":"wrong"}"# { #expect(told == response.citations) }
        #expect(fitting == told.count)
      }
    }
  }

  /// The backend repeats them after a reconnect.
  @Test func aSourceIsToldOnce() async throws {
    try await TestClient.with { tools in
      try tools.backend.play(#"[{"endpoint":"responses","search":{},"drop_after":25,"times":1}]"#)
      let (_, told, response) = try await sources(of: tools)
      #expect(told == response.citations)
    }
  }

  /// The sources of an answer as events and in its end, and how many of them came while the text had their place.
  @GLibActor
  private func sources(
    of tools: TestClient
  ) async throws -> (fitting: Int, told: [ChappieCitation], response: ChappieResponse) {
    var (text, fitting, told) = ("", 0, [ChappieCitation]())
    for try await event in tools.client.stream(.user(Self.question, options: .init(webSearch: .live))) {
      switch event {
      case .textDelta(let delta): text += delta
      case .citation(let source):
        told.append(source)
        if source.range.map({ $0.upperBound <= text.utf8.count }) ?? true { fitting += 1 }
      case .completed(let response): return (fitting, told, response)
      default: break
      }
    }
    throw CancellationError()
  }

  @Test func anAnswerThatDidNotSearchSaysSo() async throws {
    try await TestClient.with { tools in
      #expect(try await ask(tools, "What is a bus?").response.searches == 0)
      try tools.backend.play(#"[{"endpoint":"responses","search":{"failed":true}}]"#)
      let failed = try await ask(tools).response
      #expect(failed.searches == 0 && failed.citations.isEmpty)
    }
  }

  @Test func aBrokenAttemptCountsNoSearch() async throws {
    try await TestClient.with { tools in
      try tools.backend.play(#"[{"endpoint":"responses","search":{},"drop_after":6}]"#)
      #expect(try await ask(tools).response.searches == 1)
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
  func noMarkOfTheModelIsShown(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { tools in
      try tools.backend.play(#"[{"endpoint":"responses","search":{"markers":true}}]"#)
      var text = ""
      for try await event in tools.client.stream(.user(Self.question, options: .init(webSearch: .live))) {
        switch event {
        case .textDelta(let delta): text += delta
        case .completed(let response):
          #expect(response.outputText == text)
          #expect(response.citations.count == 2 && response.citations.allSatisfy { $0.range?.isEmpty == true })
        default: break
        }
      }
      #expect(!text.contains("cite") && text.contains("Zürich"))
      #expect(!text.unicodeScalars.contains { (0xE200...0xE202).contains($0.value) })
    }
  }

  @Test func aWrongPlaceIsCorrected() async throws {
    try await TestClient.with { tools in
      try tools.backend.play(#"[{"endpoint":"responses","search":{"spans":"wrong"}}]"#)
      let response = try await ask(tools).response
      for part in parts(response) { #expect(part?.contains("example.") == true) }
    }
  }

  @Test func searchesWithoutAnActionCount() async throws {
    try await TestClient.with { tools in
      try tools.backend.play(#"[{"endpoint":"responses","search":{"action":false}}]"#)
      let (steps, response) = try await ask(tools)
      #expect(response.searches == 2 && steps.last == .done)
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

  @Test func aModelThatCannotSearchIsNamed() async throws {
    try await TestClient.with { tools in
      await tools.client.selectModel("gpt-5.6-luna")
      await #expect(throws: ChappieClientError.unsupportedCapability("web_search with gpt-5.6-luna")) {
        try await ask(tools)
      }
      let answer = try await tools.client.send("What is a bus?")
      #expect(answer.contains("bus"))
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

  @Test func aWrongDomainFailsBeforeAnythingIsSent() async throws {
    try await TestClient.with { tools in
      let options = ChappieMessageOptions(webSearch: ChappieWebSearch(.live, domains: ["https://debian.org"]))
      await #expect(
        throws: ChappieClientError.invalidArgument("'https://debian.org' is no domain to search, such as debian.org.")
      ) {
        try await ask(tools, Self.question, options)
      }
    }
  }
}
