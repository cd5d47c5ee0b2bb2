// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime

extension ChappieThreadStoreConformance {
  static func beginsEmpty(_ fixture: ThreadStoreFixture) async throws {
    try fixture.expect(await fixture.ids(.all), [], "The threads of a new store")
    let usage = try await fixture.store.usage()
    try fixture.expect(usage.threadCount, 0, "The thread count of a new store")
    try fixture.expect(usage.archivedCount, 0, "The archived count of a new store")
  }

  static func createsOnce(_ fixture: ThreadStoreFixture) async throws {
    try await fixture.create("one", title: "First", at: 5)
    let thread = try await fixture.store.thread("one")
    try fixture.expect(thread.turns, [], "The turns of a new thread")
    try fixture.expect(thread.damage, [], "The damage of a new thread")
    try fixture.expect(thread.summary.createdAt, fixture.start + 5, "The creation time of a thread")
    try fixture.expect(thread.summary.updatedAt, fixture.start + 5, "The time of the last change of a new thread")
    try fixture.expect(!thread.summary.isArchived, "A new thread should be active.")
    try await fixture.store.append(fixture.turn("kept", at: 6), to: "one")
    do {
      try await fixture.create("one", title: "Second")
    } catch ChappieThreadStoreError.exists {
      let thread = try await fixture.store.thread("one")
      try fixture.expect(thread.summary.title, "First", "The title of a thread that was created twice")
      try fixture.expect(thread.turns.count, 1, "The turn count of a thread that was created twice")
      return
    }
    try fixture.expect(false, "Creating a thread with an existing id should throw exists.")
  }

  static func keepsTitles(_ fixture: ThreadStoreFixture) async throws {
    for (id, title) in ["empty": "", "wide": "Grüße aus 東京 🚌", "lines": "one\ntwo\t\"three\" \\ four"] {
      try await fixture.create(id, title: title)
      try fixture.expect(try await fixture.store.thread(id).summary.title, title, "The title of a thread")
      try fixture.expect(try await fixture.summary(id).title, title, "The listed title of a thread")
    }
  }

  static func keepsTurnsInOrder(_ fixture: ThreadStoreFixture) async throws {
    try await fixture.create("one")
    try await fixture.create("other")
    let turns = (1...20).map { fixture.turn("\($0)", at: Int64($0)) }
    for turn in turns {
      try await fixture.store.append(turn, to: "one")
      try await fixture.store.append(fixture.turn("apart"), to: "other")
    }
    let thread = try await fixture.store.thread("one")
    try fixture.expect(thread.turns.map(\.id), turns.map(\.id), "The order of the turns")
    try fixture.expect(thread.turns == turns, "The turns that are read should equal those that were recorded.")
    try fixture.expect(thread.summary.turnCount, 20, "The turn count of a thread")
    try fixture.expect(thread.summary.updatedAt, fixture.start + 20, "The time of the last change of a thread")
    try fixture.expect(try await fixture.summary("one"), thread.summary, "The listed summary of a thread")
    try fixture.expect(try await fixture.store.thread("other").turns.count, 20, "The turn count of another thread")
  }

  static func keepsEveryKindOfEvent(_ fixture: ThreadStoreFixture) async throws {
    let message = ChappieInputMessage(
      role: .user, text: "Look: 🚌\r\n\u{1F}\u{7F}", images: [try ChappieImage(url: "https://example.com/bus.png")],
      options: ChappieMessageOptions(fastMode: true, reasoningEffort: .high, model: "model", instructions: "Be short."))
    let events: [ChappieTurnEvent] = [
      .compaction(summary: "What was said before."), .input(message),
      .payload(["type": "reasoning", "deep": [[1, 2.5, true, .null], ["": ""]], "number": .integer(.max)]),
      .toolCall(callID: "call", name: "clock", arguments: #"{"zone":"UTC"}"#),
      .toolOutput(callID: "call", name: "clock", status: .failed, output: ""),
      .output(text: "", model: "", responseID: ""), .error(name: "network", message: "It broke."),
      .other(["kind": "from-a-later-version", "text": "kept"]),
    ]
    try await fixture.create("one")
    try await fixture.store.append(ChappieTurn(id: "turn", recordedAt: fixture.start, events: events), to: "one")
    let kept = try await fixture.store.thread("one").turns.first?.events ?? []
    try fixture.expect(kept.count, events.count, "The number of events of a turn")
    for (kept, event) in zip(kept, events) { try fixture.expect(kept, event, "An event") }
  }

  static func keepsLongTurns(_ fixture: ThreadStoreFixture) async throws {
    try await fixture.create("one")
    let turn = fixture.turn(String(repeating: "0123456789abcdeß", count: 1 << 16))
    try await fixture.store.append(turn, to: "one")
    try await fixture.store.append(fixture.turn("behind"), to: "one")
    let kept = try await fixture.store.thread("one").turns
    try fixture.expect(kept.map(\.events.count), [2, 2], "The event counts of a thread with a turn of a megabyte")
    try fixture.expect(kept.first == turn, "A turn of a megabyte that is read should equal the recorded one.")
  }

  static func keepsTurnsThatComeAtOnce(_ fixture: ThreadStoreFixture) async throws {
    for id in ["one", "two"] { try await fixture.create(id) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...20 {
        for id in ["one", "two"] {
          group.addTask { try await fixture.store.append(fixture.turn("\(id)-\(number)"), to: id) }
        }
      }
      try await group.waitForAll()
    }
    for id in ["one", "two"] {
      let kept = try await fixture.store.thread(id).turns.map(\.id)
      try fixture.expect(
        Set(kept), Set((1...20).map { "turn-\(id)-\($0)" }), "The turns that were recorded concurrently")
      try fixture.expect(kept.count, 20, "The number of turns that were recorded concurrently")
    }
  }
}
