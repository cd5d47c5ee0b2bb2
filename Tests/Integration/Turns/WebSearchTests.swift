// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// Turns that search the web.
@Suite(.worlds) @GLibActor
struct WebSearchTests {
  private static let question = "search for night buses"
  private static let search: VariantDictionary = ["web_search": "live"]

  private func check(_ details: VariantDictionary, of text: String) throws {
    #expect(try details.value("searches") == UInt32(1))
    let citations: [VariantDictionary] = try #require(try details.value("citations"))
    #expect(
      citations.compactMap { $0.text("url") } == [
        "https://example.org/night-buses/1", "https://example.net/night-buses/2",
      ])
    for citation in citations {
      let start: UInt64 = try #require(try citation.value("start"))
      let end: UInt64 = try #require(try citation.value("end"))
      let place = String(decoding: Array(text.utf8)[Int(start)..<Int(end)], as: UTF8.self)
      #expect(place.hasPrefix("([example.") && place.hasSuffix("))"))
    }
  }

  @Test func stepsAndSourcesAreTold() async throws {
    let (world, caller) = try await World.signedIn()
    let turn = try await caller.stream(Self.question, Self.search)
    let (text, details) = try await turn.end().answer
    try check(details, of: text)
    try check(try await turn.snapshot().details, of: text)
    let steps = try turn.signals("SearchProgressed").map { signal in
      "\(try signal.arguments.member(1, "status", as: String.self)) \(try signal.arguments.member(2, "detail", as: String.self))"
    }
    #expect(steps == ["searching ", "searching night buses", "reading example.org", "done "])
    // Sources are told as they come.
    let citations = try details.value("citations", as: [VariantDictionary].self)
    let told = try turn.signals("SourceCited").map { signal in
      try signal.arguments.member(1, "citation", as: VariantDictionary.self)
    }
    #expect(told.count == 2 && told == citations)

    let line = try await caller.ask(Self.question, Self.search)
    let end = try await line.end()
    #expect(end["searches"] == 1 && end["citations"]?.arrayValue?.count == 2)
    #expect(
      line.events.filter { $0.name == "search" }.map { $0.text("status") } == [
        "searching", "searching", "reading", "done",
      ])
    let events = line.events.filter { $0.name == "citation" }
    #expect(events.map { $0.text("url") } == told.map { $0.text("url") })
    #expect(events.map { $0["end"] } == [111, 180])

    // An opened client searches for its turns, unless one says otherwise, and for no other client.
    let client = try await caller.open("Client", ["web_search": "cached", "search_domains": ["example.org"]])
    #expect(try await caller.send(Self.question, at: client).contains("Source 1 says so"))
    let off: VariantDictionary = ["web_search": "off", "search_domains": ["example.org"]]
    #expect(try await caller.send(Self.question, off, at: client).contains("You said"))
    let unasked = try await caller.stream(Self.question).end().answer.details
    #expect(unasked["searches"] == nil && unasked["citations"] == nil)
    let unneeded = try await caller.stream("What is a bus?", Self.search).end().answer.details
    #expect(try unneeded.value("searches") == UInt32(0))

    // A thread keeps the sources. The model reads the search again, also after a restart.
    let thread = try await caller.createThread()
    _ = try await caller.send(Self.question, to: thread, Self.search)
    #expect(try await caller.thread(thread).kinds.first?.suffix(2) == ["output", "citations"])
    try await world.service.restart()
    #expect(try await caller.send("And trams?", to: thread).contains("3 messages"))
  }

  @Test func theBrowsersSignInSearchesToo() async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.callerSignedInInBrowser()
    let (text, details) = try await caller.stream(Self.question, Self.search).end().answer
    try check(details, of: text)
  }

  @Test func wrongOptionsAreRefused() async throws {
    let (world, caller) = try await World.signedIn()
    let wrong: [VariantDictionary] = [
      ["web_search": "often"], ["search_domains": ["example.org"]],
      ["web_search": "live", "search_location": ["country": "Germany"] as VariantDictionary],
    ]
    for options in wrong {
      try await expectRefusal("InvalidArgument") { try await caller.send(Self.question, options) }
      try await expectRefusal("InvalidArgument") { try await caller.openTurn(options) }
    }
    try await expectRefusal("UnsupportedCapability") {
      try await caller.send(Self.question, ["web_search": "live", "model": "gpt-5.6-luna"])
    }
    #expect(try await world.sandbox.state().requests["responses"] == 0)
  }
}
