// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime

extension ThreadStoreFixture {
  func listsNewestFirst() async throws {
    for (id, second) in [("b", 20), ("a", 30), ("d", 30), ("c", 30)] as [(String, Int64)] {
      try await create(id, at: second)
    }
    try await expectIDs(.active, ["c", "d", "a", "b"], "The order of threads")
    try await store.append(turn("late", at: 40), to: "a")
    try await expectIDs(.active, ["a", "c", "d", "b"], "The order after a turn")
    for id in ["d", "b", "d"] {
      try await store.append(turn("of the same second", at: 40), to: id)
      let first = try await store.threads(ChappieThreadQuery()).first
      expect(first?.id, id, "The first thread after several changes in one second")
    }
    try await store.append(turn("of an earlier time", at: 5), to: "c")
    try await expectIDs(.active, ["c", "d", "b", "a"], "The order after the clock was set back")
    let numbers = try await store.threads(ChappieThreadQuery()).map(\.changeNumber)
    expect(numbers, Array(Set(numbers)).sorted(by: >), "The change numbers, newest first,")
    expect(
      try await summary("c").updatedAtSeconds, start + 30, "The time of the last change after the clock was set back")
  }

  func listsInPages() async throws {
    for number in 0..<7 { try await create("t\(number)", at: Int64(number / 2)) }
    try await store.change("t3", .archive)
    let all = ["t6", "t5", "t4", "t2", "t1", "t0"]
    try await expectIDs(.active, all, "The active threads")
    for size in 1...7 {
      var listed: [ChappieThreadSummary] = []
      while true {
        let page = try await store.threads(ChappieThreadQuery(.active, limit: size, after: listed.last))
        expect(page.count <= size, "A page of at most \(size) has \(page.count) threads.")
        guard !page.isEmpty else { break }
        listed += page
        guard listed.count <= all.count else {
          expect(false, "Pages should end with the last thread.")
          break
        }
      }
      expect(listed.map(\.id), all, "The threads of all pages of \(size)")
    }
    let third = try await summary("t3")
    try await expectIDs(.active, after: third, ["t2", "t1", "t0"], "The page after a thread that was archived since")
    try await expectIDs(.archived, limit: 1, ["t3"], "A page of the archived threads")
    try await expectIDs(.all, limit: 4, ["t6", "t5", "t4", "t3"], "A page of all threads")
    try await store.delete("t3")
    try await expectIDs(.active, after: third, ["t2", "t1", "t0"], "The page after a thread that was deleted since")
    let fourth = try await summary("t4")
    try await store.append(turn("new", at: 50), to: "t4")
    try await expectIDs(.active, after: fourth, ["t2", "t1", "t0"], "The page after a thread that was changed since")
  }

  func renames() async throws {
    try await create("one", title: "Old", at: 1)
    try await create("two", at: 2)
    try await store.append(turn("said", at: 1), to: "one")
    try await store.change("one", .rename("New"))
    let thread = try await store.thread("one")
    expect(thread.summary.title, "New", "The title of a renamed thread")
    expect(thread.turns.count, 1, "The turn count of a renamed thread")
    expect(thread.summary.createdAtSeconds, start + 1, "The creation time of a renamed thread")
    expect(try await summary("one").title, "New", "The listed title of a renamed thread")
    try await expectIDs(.active, ["one", "two"], "The order after a thread was renamed")
  }

  func ignoresChangesWithoutEffect() async throws {
    for id in ["one", "two"] { try await create(id, title: id, at: id == "one" ? 1 : 2) }
    try await store.change("two", .archive)
    for (id, change) in [("one", .rename("one")), ("one", .unarchive), ("two", .archive), ("two", .rename("two"))]
      as [(String, ChappieThreadChange)]
    {
      let before = try await summary(id)
      try await store.change(id, change)
      expect(try await summary(id), before, "The summary of a thread after a change without effect")
    }
  }

  func archives() async throws {
    for id in ["one", "two"] { try await create(id, title: id, at: id == "one" ? 1 : 2) }
    try await store.append(turn("said", at: 3), to: "one")
    try await store.change("one", .archive)
    try await expectIDs(.active, ["two"], "The active threads after one was archived")
    try await expectIDs(.archived, ["one"], "The archived threads")
    try await expectIDs(.all, ["one", "two"], "All threads")
    let archived = try await store.thread("one")
    expect(archived.turns.count, 1, "The turn count of an archived thread")
    expect(archived.summary.updatedAtSeconds, start + 3, "The time of the last change of an archived thread")
    expect((archived.summary.archivedAtSeconds ?? 0) > start, "An archived thread should have a time of archiving.")
    try await store.change("one", .archive)
    expect(
      try await summary("one").archivedAtSeconds, archived.summary.archivedAtSeconds,
      "The time of archiving of a thread that was archived twice")
  }

  func unarchives() async throws {
    try await create("one", at: 1)
    try await create("two", at: 2)
    try await store.change("two", .unarchive)
    expect(
      try await summary("two").updatedAtSeconds, start + 2,
      "The time of the last change of an active thread after it was unarchived")
    try await store.change("one", .archive)
    try await store.change("one", .unarchive)
    try await expectIDs(.archived, [], "The archived threads after one was unarchived")
    try await expectIDs(.active, ["one", "two"], "The order after a thread was unarchived, which is a change,")
  }

  func aTurnUnarchives() async throws {
    try await create("one")
    try await store.change("one", .archive)
    try await store.append(turn("said", at: 1), to: "one")
    try await expectIDs(.active, ["one"], "The active threads after a turn in an archived thread")
    try await expectIDs(.archived, [], "The archived threads after a turn in an archived thread")
    expect(!(try await store.thread("one")).summary.isArchived, "A turn should unarchive its thread.")
  }

  func deletes() async throws {
    for id in ["one", "two", "three"] { try await create(id) }
    try await store.append(turn("gone"), to: "one")
    try await store.change("two", .archive)
    for id in ["one", "two"] { try await store.delete(id) }
    try await expectIDs(.all, ["three"], "The threads that remain after two were deleted")
    await expectNoThread("Reading a deleted thread") { _ = try await store.thread("one") }
    await expectNoThread("Deleting a thread twice") { try await store.delete("one") }
    try await create("one")
    expect(try await store.thread("one").turns, [], "The turns of a thread that was deleted and created again")
  }

  func refusesMissingThreads() async throws {
    try await create("one")
    for id in ["gone", "../one", "", "ONE", "one/"] {
      await expectNoThread("Reading '\(id)'") { _ = try await store.thread(id) }
      await expectNoThread("A turn in '\(id)'") { try await store.append(turn("lost"), to: id) }
      await expectNoThread("Removing a turn of '\(id)'") { try await store.undoTurn(of: id, asking: nil) }
      await expectNoThread("Renaming '\(id)'") { try await store.change(id, .rename("lost")) }
      await expectNoThread("Archiving '\(id)'") { try await store.change(id, .archive) }
      await expectNoThread("Unarchiving '\(id)'") { try await store.change(id, .unarchive) }
      await expectNoThread("Deleting '\(id)'") { try await store.delete(id) }
    }
    try await expectIDs(.all, ["one"], "The threads after changes of missing threads")
  }

  func countsUsage() async throws {
    try await create("one")
    try await create("two")
    let before = try await store.usage()
    expect(before.limitBytes.map { $0 > 0 } != false, "A size limit should be more than 0, or nil for none.")
    let text = String(repeating: "x", count: 10_000)
    try await store.append(turn(text), to: "one")
    try await store.change("two", .archive)
    let after = try await store.usage()
    expect(after.threadCount, 2, "The thread count, which includes archived ones,")
    expect(after.archivedCount, 1, "The archived count")
    // A store may compress, and this text compresses well, so the size itself is not checked.
    let (long, short) = (try await summary("one").bytes, try await summary("two").bytes)
    expect(
      long > short || (long, short) == (0, 0), "A turn should increase the bytes of its thread, if any are counted.")
    try await store.delete("one")
    let end = try await store.usage()
    expect(end.threadCount, 1, "The thread count after one was deleted")
    guard (before.usedBytes, after.usedBytes, end.usedBytes) != (0, 0, 0) else { return }
    expect(after.usedBytes > before.usedBytes, "A turn should increase the used bytes, if any are counted.")
    expect(end.usedBytes < after.usedBytes, "Deleting a thread should decrease the used bytes, if any are counted.")
  }
}
