// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import ChappieSDKRuntime

/// Redaction of threads before they are written.
@Suite(.timeLimit(.minutes(10))) @GLibActor
struct RedactionTests {
  private static let events: [ChappieTurnEvent] = [
    .compaction(summary: "summary SECRET-1"),
    .input(
      ChappieInputMessage(
        role: .user, text: "input SECRET-2",
        options: ChappieMessageOptions(
          instructions: "instructions SECRET-3", outputSchema: ["title": "schema SECRET-12"]))),
    .payload(["type": "reasoning", "text SECRET-4": ["SECRET-5", 5, .null, true]]),
    .toolCall(callID: "call", name: "mail", arguments: #"{"to":"SECRET-6"}"#),
    .toolOutput(callID: "call", name: "mail", status: .completed, output: "output SECRET-7"),
    .output(text: "answer SECRET-8", model: "model", responseID: "resp"),
    .error(name: "network", message: "error SECRET-9"),
    .other(["kind": "later", "text": "later SECRET-10"]),
  ]

  /// The stored form of a thread with secrets in every field.
  private func written(_ redaction: ChappieThreadRedaction) async throws -> ChappieThread {
    let memory = ChappieInMemoryThreadStore()
    let store = ChappieRedactingThreadStore(memory, redaction: redaction)
    try await store.create(.sample("one", title: "title SECRET-11", at: 1))
    try await store.append(ChappieTurn(id: "turn", recordedAtSeconds: UnixTime.now, events: Self.events), to: "one")
    return try await memory.thread("one")
  }

  @Test func patternsMaskMatchesInEachField() async throws {
    let thread = try await written(ChappieThreadRedaction(patterns: ["SECRET-\\d+"]))
    #expect(!thread.json.contains("SECRET"))
    #expect(thread.summary.title == "title [redacted]")
    #expect(thread.turns[0].events.count == Self.events.count)
    #expect(
      thread.turns[0].events[2] == .payload(["type": "reasoning", "text [redacted]": ["[redacted]", 5, .null, true]]))
    #expect(thread.turns[0].events[3] == .toolCall(callID: "call", name: "mail", arguments: #"{"to":"[redacted]"}"#))
  }

  @Test(arguments: [
    (ChappieThreadRedaction.Field.titles, ["title"]), (.inputs, ["input", "instructions", "schema"]),
    (.outputs, ["answer"]), (.toolArguments, ["to"]), (.toolOutputs, ["output"]), (.payloads, ["text", "later"]),
    (.errors, ["error"]), (.summaries, ["summary"]),
  ])
  func aDroppedFieldIsEmptyAndAMaskedFieldIsMasked(_ field: ChappieThreadRedaction.Field, _ words: [String])
    async throws
  {
    let secrets = [
      "title", "summary", "input", "instructions", "schema", "text", "to", "output", "answer", "error", "later",
    ]
    func left(_ redaction: ChappieThreadRedaction) async throws -> [String] {
      let json = try await written(redaction).json.replacing("\\", with: "")
      return secrets.filter { json.contains("\($0) SECRET") || json.contains("\"\($0)\":\"SECRET") }
    }
    #expect(try await left(ChappieThreadRedaction()) == secrets)
    let expected = secrets.filter { !words.contains($0) }
    #expect(try await left(ChappieThreadRedaction(drop: [field])) == expected)
    #expect(try await left(ChappieThreadRedaction(mask: [field])) == expected)
  }

  /// An escape hides no match, and the result is JSON.
  @Test(arguments: [
    (#"{"to":"Gr\u00fc\u00dfe"}"#, #"{"to":"[redacted]"}"#), (#"["a \"b\""]"#, #"["[redacted]"]"#),
    (#"{"x\/y":[1]}"#, #"{"[redacted]":[1]}"#), (#"{"card":1234567890123456}"#, #"{"card":"[redacted]"}"#),
    (#"{"pin":"none","a":1}"#, #"{"a":1,[redacted]}"#), ("says Grüße", "says [redacted]"),
    (#"{"b": 1.5, "a": null}"#, #"{"a":null,"b":1.5}"#), (#""Gr\u00fc\u00dfe""#, #""[redacted]""#), ("1.50", "1.50"),
  ])
  func patternsMatchJSONValuesOfTools(_ json: String, _ left: String) throws {
    let redaction = try ChappieThreadRedaction(
      patterns: ["Grüße", "a \"b\"", "x/y", #"\b\d{16}\b"#, #""pin":"[^"]*""#])
    let turn = ChappieTurn(
      id: "turn", recordedAtSeconds: 1,
      events: [
        .toolCall(callID: "call", name: "mail", arguments: json),
        .toolOutput(callID: "call", name: "mail", status: .completed, output: json),
      ])
    #expect(
      redaction.turn(turn).events == [
        .toolCall(callID: "call", name: "mail", arguments: left),
        .toolOutput(callID: "call", name: "mail", status: .completed, output: left),
      ])
  }

  @Test func anImageIsRemovedWithAMatchInItsAddressOrWithAllImages() throws {
    let data = try ChappieImage(url: "data:image/png;base64,AAAA")
    let other = try ChappieImage(url: "https://example.org/cat.png")
    let images = [data, other, try ChappieImage(url: "https://example.org/AAAA.png")]
    let turn = ChappieTurn(id: "turn", recordedAtSeconds: 1, events: [.input(.user("Look", images: images))])
    let redaction = try ChappieThreadRedaction(patterns: ["AAAA"])
    #expect(redaction.turn(turn).events == [.input(.user("Look", images: [data, other]))])
    for redaction in [try ChappieThreadRedaction(drop: [.images]), try ChappieThreadRedaction(mask: [.images])] {
      #expect(redaction.turn(turn).events == [.input(.user("Look"))])
    }
    #expect(try ChappieThreadRedaction().turn(turn) == turn)
  }

  @Test func aFileWithAMatchIsRemoved() throws {
    let other = try ChappieInputFile(data: Array("Buses".utf8), name: "notes.txt")
    let files = [
      other, try ChappieInputFile(data: Array("Buses".utf8), name: "SECRET.txt"),
      try ChappieInputFile(data: Array("A SECRET".utf8), name: "notes.txt"),
    ]
    func kept(_ redaction: ChappieThreadRedaction) -> [ChappieTurnEvent] {
      redaction.turn(ChappieTurn(id: "turn", recordedAtSeconds: 1, events: [.input(.user("Look", files: files))]))
        .events
    }
    #expect(kept(try ChappieThreadRedaction(patterns: ["SECRET"])) == [.input(.user("Look", files: [other]))])
    #expect(kept(try ChappieThreadRedaction(drop: [.images])) == [.input(.user("Look"))])
    #expect(kept(try ChappieThreadRedaction(mask: [.images])) == [.input(.user("Look"))])
    #expect(kept(try ChappieThreadRedaction(drop: [.inputs])) == [.input(.user(""))])
  }

  /// If matching takes too long, no part of the text is written. Each match requires another search through the rest.
  @Test func aSlowPatternOrTooManyMatchesMaskTheWholeText() throws {
    let redaction = try ChappieThreadRedaction(patterns: ["^(a+)+$"])
    #expect(redaction.title(String(repeating: "a", count: 100) + "b") == ChappieThreadRedaction.mask)
    #expect(redaction.title("b") == "b")
    let short = try ChappieThreadRedaction(patterns: ["SECRET"])
    #expect(short.title(String(repeating: "SECRET ", count: 1 << 19)) == ChappieThreadRedaction.mask)
  }

  /// The actor stays free while patterns are matched: what was queued before their end comes first.
  @Test func redactionDoesNotBlockTheActor() async throws {
    let store = ChappieRedactingThreadStore(
      ChappieInMemoryThreadStore(), redaction: try ChappieThreadRedaction(patterns: ["^(a+)+$"]))
    var steps: [String] = []
    // Slow, because the actor does not turn to other work when a result is there at once.
    let slow = ChappieInputMessage.user(String(repeating: "a", count: 100) + "b")
    let titling = Task.onGLib { steps.append(await store.title(for: slow)) }
    let other = Task.onGLib { steps.append("other") }
    await titling.value
    await other.value
    #expect(steps == ["other", "[redacted]"])
  }

  /// The message is compared as it is stored.
  @Test(arguments: [
    try! ChappieThreadRedaction(patterns: ["SECRET-\\d+"]), try! ChappieThreadRedaction(drop: [.inputs]),
  ])
  func aRedactedTurnIsRemovedByItsMessage(_ redaction: ChappieThreadRedaction) async throws {
    let store = ChappieRedactingThreadStore(ChappieInMemoryThreadStore(), redaction: redaction)
    try await store.create(.sample("one", at: UnixTime.now))
    try await store.append(ChappieTurn(id: "turn", recordedAtSeconds: UnixTime.now, events: Self.events), to: "one")
    try await store.undoTurn(of: "one", asking: "input SECRET-2")
    #expect(try await store.thread("one").turns.isEmpty)
  }

  @Test func anInvalidPatternIsRefused() {
    let error = #expect(throws: ChappieClientError.self) { try ChappieThreadRedaction(patterns: ["ok", "("]) }
    #expect(error?.description.contains("'('") == true)
  }

  // MARK: Conversations

  /// Redaction changes the stored turns, not the running conversation.
  @Test func theModelGetsUnredactedMessages() async throws {
    let store = ChappieRedactingThreadStore(
      ChappieInMemoryThreadStore(), redaction: try ChappieThreadRedaction(drop: [.outputs], mask: [.inputs]))
    try await Answering.with(store: store) { world in
      #expect(try await world.runtime.send("My name is Ada").contains("My name is Ada"))
      #expect(try await world.runtime.send("Who am I?").contains("3 messages"))
      #expect(try await world.thread().summary.title == ChappieThreadRedaction.mask)
      #expect(try await !world.thread().json.contains("Ada"))
      // A new runtime continues with the redacted messages.
      let context = try await world.again().resumed(world.thread().id)
      #expect(context.messages == [.user(ChappieThreadRedaction.mask), .user(ChappieThreadRedaction.mask)])
    }
  }

  /// A redacted summary says nothing, so the messages stay.
  @Test(arguments: [false, true])
  func aRedactedSummaryReplacesNoMessages(_ isMasked: Bool) async throws {
    let store = ChappieRedactingThreadStore(
      ChappieInMemoryThreadStore(),
      redaction: try ChappieThreadRedaction(drop: isMasked ? [] : [.summaries], mask: isMasked ? [.summaries] : []))
    try await Answering.with(store: store) { world in
      _ = try await world.runtime.send("My name is Ada")
      try await world.runtime.compactContext(summary: "She is Ada.")
      _ = try await world.runtime.send("Who am I?")
      let context = try await world.again().resumed(world.thread().id)
      #expect(context.compactedSummary == nil)
      #expect(context.messages.map(\.text).filter { !$0.contains("said") } == ["My name is Ada", "Who am I?"])
      #expect(context.messages.count == 4)
    }
  }

  // MARK: An app's own store

  /// The runtime finds turns of other programs through the example.
  @Test func theExampleForwardsSummaries() async throws {
    let store = ToolRedactingStore(store: ChappieInMemoryThreadStore())
    try await Answering.with(store: store) { world in
      _ = try await world.runtime.send("One")
      let other = world.again()
      try await other.resume(thread: world.thread().id)
      _ = try await other.send("Two")
      #expect(try await world.runtime.send("Three").contains("5 messages"))
    }
  }

  @Test func theExampleStoresNothingOfTools() async throws {
    let tool = ChappieHostTool(name: "mail", description: "Reads the mail.") { _ in
      ChappieToolResult(output: "a private letter")
    }
    try await Answering.with(store: ToolRedactingStore(store: ChappieInMemoryThreadStore()), tools: [tool]) { world in
      try world.backend.play(
        #"[{"endpoint": "responses", "tool_calls": [{"name": "mail", "call_id": "call_1"}]}]"#)
      _ = try await world.runtime.send("Read my mail")
      let events = try await world.events()
      #expect(events.contains(.toolCall(callID: "call_1", name: "mail", arguments: "{}")))
      #expect(events.contains(.toolOutput(callID: "call_1", name: "mail", status: .completed, output: "")))
    }
  }

  @Test func theGuideShowsTheTestedExample() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let example = try String(contentsOf: here.appending(path: "ToolRedactingStore.swift"), encoding: .utf8)
    let guide = try String(contentsOf: here.appending(path: "../../../doc/swift.md").standardized, encoding: .utf8)
    let store = try #require(example.range(of: "struct ToolRedactingStore")).lowerBound
    #expect(guide.contains(example[store...]))
  }

  // MARK: Titles

  private func title(of message: String, _ redaction: ChappieThreadRedaction) async throws -> String {
    let store = ToolRedactingStore(
      store: ChappieRedactingThreadStore(ChappieInMemoryThreadStore(), redaction: redaction))
    var title = ""
    try await Answering.with(store: store) { world in
      _ = try await world.runtime.send(message)
      title = try await world.thread().summary.title
    }
    return title
  }

  /// Patterns are matched before the title is cut.
  @Test func aTitleIsMadeOfTheRedactedMessage() async throws {
    let card = try ChappieThreadRedaction(patterns: [#"\b\d{4}(?:[ -]?\d{4}){3}\b"#])
    let padding = String(repeating: "pay ", count: 11)
    #expect(try await title(of: padding + "1234 5678 9012 3456 today", card) == padding + "[redacted] today")
    let lines = try ChappieThreadRedaction(patterns: [#"BEGIN\n.*\nEND"#])
    #expect(try await title(of: "Read BEGIN\nkey\nEND", lines) == "Read [redacted]")
  }

  /// Redacting messages does not affect a given title; redacting titles refuses it.
  @Test(arguments: [false, true])
  func aTitleIsRefusedOnlyIfTitlesAreRedacted(_ isMasked: Bool) async throws {
    func store(_ field: ChappieThreadRedaction.Field) throws -> ChappieRedactingThreadStore {
      ChappieRedactingThreadStore(
        ChappieInMemoryThreadStore(),
        redaction: try ChappieThreadRedaction(drop: isMasked ? [] : [field], mask: isMasked ? [field] : []))
    }
    let left = isMasked ? ChappieThreadRedaction.mask : ""
    try await Answering.with(store: store(.inputs)) { world in
      _ = try await world.runtime.send("Hello")
      #expect(try await world.thread().summary.title == left)
      try await world.runtime.rename(thread: world.thread().id, to: "Mine")
      _ = try await world.runtime.send("Hello again")
      #expect(try await world.thread().summary.title == "Mine")
    }
    try await Answering.with(store: store(.titles)) { world in
      let thread = try await world.runtime.createThread()
      _ = try await world.runtime.send("Hello")
      #expect(try await world.thread().summary.title == left)
      let error = await #expect(throws: ChappieClientError.self) {
        try await world.runtime.rename(thread: thread, to: "Mine")
      }
      #expect(error?.description.contains("titles are redacted") == true)
      try await world.runtime.rename(thread: thread, to: "")
      _ = try await world.runtime.send("Hello again")
      #expect(try await world.thread().summary.title == left)
    }
  }

  /// A thread whose title stays empty is not renamed by each turn, because that would cost a write and a signal.
  @Test(arguments: [ChappieThreadRedaction.Field.titles, .inputs])
  func anEmptyTitleIsNotWrittenAgain(_ field: ChappieThreadRedaction.Field) async throws {
    let faulty = FaultyStore()
    faulty.fail(.change, .unavailable("a change"))
    let store = ChappieRedactingThreadStore(faulty, redaction: try ChappieThreadRedaction(drop: [field]))
    try await Answering.with(store: store) { world in
      _ = try await world.runtime.send("One")
      _ = try await world.runtime.send("Two")
      #expect(try await world.thread().turns.count == 2)
    }
  }

  @Test func aNewTitleIsRedacted() async throws {
    let memory = ChappieInMemoryThreadStore()
    let store = ChappieRedactingThreadStore(memory, redaction: try ChappieThreadRedaction(patterns: ["SECRET"]))
    try await store.create(.sample("one", at: UnixTime.now))
    try await store.change("one", .rename("My SECRET"))
    #expect(try await memory.thread("one").summary.title == "My [redacted]")
    try await store.change("one", .archive)
    #expect(try await store.threads(ChappieThreadQuery(.archived)).count == 1)
  }
}
