// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Testing

@testable import ChappieSDKRuntime

/// Titles of redacted threads.
@Suite(.timeLimit(.minutes(1))) @GLibActor
struct RedactedTitleTests {
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
    try await store.create(
      ChappieThreadSummary(id: "one", createdAtSeconds: UnixTime.now, updatedAtSeconds: UnixTime.now))
    try await store.change("one", .rename("My SECRET"))
    #expect(try await memory.thread("one").summary.title == "My [redacted]")
    try await store.change("one", .archive)
    #expect(try await store.threads(ChappieThreadQuery(.archived)).count == 1)
  }
}
