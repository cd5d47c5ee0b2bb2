// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime

extension ThreadStoreFixture {
  func beginsEmpty() async throws {
    try await expectIDs(.all, [], "The threads of a new store")
    let usage = try await store.usage()
    expect(usage.threadCount, 0, "The thread count of a new store")
    expect(usage.archivedCount, 0, "The archived count of a new store")
  }

  func createsOnce() async throws {
    try await create("one", title: "First", at: 5)
    let thread = try await store.thread("one")
    expect(thread.turns, [], "The turns of a new thread")
    expect(thread.damage, [], "The damage of a new thread")
    expect(thread.summary.createdAtSeconds, start + 5, "The creation time of a thread")
    expect(thread.summary.updatedAtSeconds, start + 5, "The time of the last change of a new thread")
    expect(!thread.summary.isArchived, "A new thread should be active.")
    try await store.append(turn("kept", at: 6), to: "one")
    do {
      try await create("one", title: "Second")
    } catch ChappieThreadStoreError.exists {
      let thread = try await store.thread("one")
      expect(thread.summary.title, "First", "The title of a thread that was created twice")
      expect(thread.turns.count, 1, "The turn count of a thread that was created twice")
      return
    }
    expect(false, "Creating a thread with an existing id should throw exists.")
  }

  func keepsTitles() async throws {
    for (id, title) in ["empty": "", "wide": "Grüße aus 東京 🚌", "lines": "one\ntwo\t\"three\" \\ four"] {
      try await create(id, title: title)
      expect(try await store.thread(id).summary.title, title, "The title of a thread")
      expect(try await summary(id).title, title, "The listed title of a thread")
    }
  }

  func keepsTurnsInOrder() async throws {
    try await create("one")
    try await create("other")
    let turns = (1...20).map { turn("\($0)", at: Int64($0)) }
    for recorded in turns {
      try await store.append(recorded, to: "one")
      try await store.append(turn("apart"), to: "other")
    }
    let thread = try await store.thread("one")
    expect(thread.turns.map(\.id), turns.map(\.id), "The order of the turns")
    expect(thread.turns == turns, "The turns that are read should equal those that were recorded.")
    expect(thread.summary.turnCount, 20, "The turn count of a thread")
    expect(thread.summary.updatedAtSeconds, start + 20, "The time of the last change of a thread")
    expect(try await summary("one"), thread.summary, "The listed summary of a thread")
    expect(try await store.thread("other").turns.count, 20, "The turn count of another thread")
  }

  func keepsEveryKindOfEvent() async throws {
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
    try await create("one")
    try await store.append(ChappieTurn(id: "turn", recordedAtSeconds: start, events: events), to: "one")
    let kept = try await store.thread("one").turns.first?.events ?? []
    expect(kept.count, events.count, "The number of events of a turn")
    for (kept, event) in zip(kept, events) { expect(kept, event, "An event") }
  }

  func keepsLongTurns() async throws {
    try await create("one")
    let long = turn(String(repeating: "0123456789abcdeß", count: 1 << 16))
    try await store.append(long, to: "one")
    try await store.append(turn("behind"), to: "one")
    let kept = try await store.thread("one").turns
    expect(kept.map(\.events.count), [2, 2], "The event counts of a thread with a turn of a megabyte")
    expect(kept.first == long, "A turn of a megabyte that is read should equal the recorded one.")
  }

  func keepsTurnsThatComeAtOnce() async throws {
    for id in ["one", "two"] { try await create(id) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...20 {
        for id in ["one", "two"] { group.addTask { try await store.append(turn("\(id)-\(number)"), to: id) } }
      }
      try await group.waitForAll()
    }
    for id in ["one", "two"] {
      let kept = try await store.thread(id).turns.map(\.id)
      expect(Set(kept), Set((1...20).map { "turn-\(id)-\($0)" }), "The turns that were recorded concurrently")
      expect(kept.count, 20, "The number of turns that were recorded concurrently")
    }
  }
}
