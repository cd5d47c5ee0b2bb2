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
      files: [try ChappieInputFile(data: Array("%PDF-1.7".utf8), name: "bus.pdf")],
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
    try await store.append(
      ChappieTurn(id: "turn", recordedAt: ChappieTime(unixSeconds: start), events: events), to: "one")
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

  func removesTheLastTurn() async throws {
    for id in ["one", "two"] { try await create(id, title: id) }
    let turns = ["first", "second", String(repeating: "third ", count: 1000)].map { turn($0, at: 2) }
    for recorded in turns { try await store.append(recorded, to: "one") }
    try await store.append(turn("apart", at: 3), to: "two")
    let before = try await summary("one")
    let used = try await store.usage().usedBytes
    try await store.undoTurn(of: "one", asking: nil)
    let thread = try await store.thread("one")
    expect(thread.turns.map(\.id), turns.dropLast().map(\.id), "The turns after the last one was removed")
    expect(thread.damage, [], "The damage of a thread that lost a turn to undoTurn")
    expect(thread.summary.turnCount, 2, "The turn count after a turn was removed")
    expect(thread.summary.title, "one", "The title after a turn was removed")
    expect(try await summary("one"), thread.summary, "The listed summary after a turn was removed")
    expect(thread.summary.changeNumber > before.changeNumber, "The removal of a turn should be a change.")
    try await expectIDs(.active, ["one", "two"], "The order after a turn was removed, which is a change,")
    let usedAfter = try await store.usage().usedBytes
    expect(
      thread.summary.bytes < before.bytes || before.bytes == 0,
      "The removal of a turn should decrease the bytes of its thread, if any are counted.")
    expect(usedAfter < used || used == 0, "The removal of a turn should decrease the used bytes, if any are counted.")
    try await store.append(turn("instead", at: 4), to: "one")
    try await store.undoTurn(of: "one", asking: nil)
    try await store.undoTurn(of: "one", asking: nil)
    try await store.append(turn("last", at: 5), to: "one")
    let end = try await store.thread("one")
    expect(end.turns.map(\.id), ["turn-first", "turn-last"], "The turns after others were removed")
    expect(end.damage, [], "The damage of a thread that lost several turns to undoTurn")
    expect(try await store.thread("two").turns.count, 1, "The turn count of another thread after a removal")
    try await store.change("one", .archive)
    try await store.undoTurn(of: "one", asking: nil)
    try await expectIDs(.archived, ["one"], "The archived threads after a turn was removed from one")
  }

  func refusesToRemoveWhatIsNoTurn() async throws {
    for id in ["empty", "compacted", "asked"] { try await create(id) }
    for id in ["compacted", "asked"] { try await store.append(turn("said"), to: id) }
    let summary = ChappieTurn(
      id: "summary", recordedAt: ChappieTime(unixSeconds: start), events: [.compaction(summary: "It was said.")])
    try await store.append(summary, to: "compacted")
    for (id, text) in [("empty", nil), ("compacted", nil), ("asked", "said before")] as [(String, String?)] {
      do {
        try await store.undoTurn(of: id, asking: text)
      } catch ChappieClientError.invalidArgument {
        continue
      } catch {
        expect(false, "undoTurn without a turn should throw invalidArgument, and threw \(error).")
      }
      expect(false, "undoTurn without a turn should throw invalidArgument, and succeeded.")
    }
    expect(try await store.thread("compacted").turns.count, 2, "The turn count after a refused removal")
    expect(try await store.thread("asked").turns.count, 1, "The turn count after a removal of another message")
    try await store.undoTurn(of: "asked", asking: "said")
    expect(try await store.thread("asked").turns, [], "The turns after the only one was removed by its message")
  }
}
