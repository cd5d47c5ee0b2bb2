// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime

extension ChappieThreadStoreConformance {
  static func listsNewestFirst(_ fixture: ThreadStoreFixture) async throws {
    for (id, second) in [("b", 20), ("a", 30), ("d", 30), ("c", 30)] as [(String, Int64)] {
      try await fixture.create(id, at: second)
    }
    try fixture.expect(await fixture.ids(.active), ["c", "d", "a", "b"], "The order of threads")
    try await fixture.store.append(fixture.turn("late", at: 40), to: "a")
    try fixture.expect(await fixture.ids(.active), ["a", "c", "d", "b"], "The order after a turn")
    for id in ["d", "b", "d"] {
      try await fixture.store.append(fixture.turn("of the same second", at: 40), to: id)
      try fixture.expect(await fixture.ids(.active).first, id, "The first thread after several changes in one second")
    }
    try await fixture.store.append(fixture.turn("of an earlier time", at: 5), to: "c")
    try fixture.expect(await fixture.ids(.active), ["c", "d", "b", "a"], "The order after the clock was set back")
    let numbers = try await fixture.store.threads(ChappieThreadQuery()).map(\.changeNumber)
    try fixture.expect(numbers, Array(Set(numbers)).sorted(by: >), "The change numbers, newest first,")
    try fixture.expect(
      await fixture.summary("c").updatedAt, fixture.start + 30,
      "The time of the last change after the clock was set back")
  }

  static func listsInPages(_ fixture: ThreadStoreFixture) async throws {
    for number in 0..<7 { try await fixture.create("t\(number)", at: Int64(number / 2)) }
    try await fixture.store.change("t3", .archive)
    let all = ["t6", "t5", "t4", "t2", "t1", "t0"]
    try fixture.expect(await fixture.ids(.active), all, "The active threads")
    for size in 1...7 {
      var listed: [ChappieThreadSummary] = []
      while true {
        let page = try await fixture.store.threads(ChappieThreadQuery(.active, limit: size, after: listed.last))
        try fixture.expect(page.count <= size, "A page of at most \(size) has \(page.count) threads.")
        guard !page.isEmpty else { break }
        listed += page
        try fixture.expect(listed.count <= all.count, "Pages should end with the last thread.")
      }
      try fixture.expect(listed.map(\.id), all, "The threads of all pages of \(size)")
    }
    let third = try await fixture.summary("t3")
    try fixture.expect(
      await fixture.ids(.active, after: third), ["t2", "t1", "t0"], "The page after a thread that was archived since")
    try fixture.expect(await fixture.ids(.archived, limit: 1), ["t3"], "A page of the archived threads")
    try fixture.expect(await fixture.ids(.all, limit: 4), ["t6", "t5", "t4", "t3"], "A page of all threads")
    try await fixture.store.delete("t3")
    try fixture.expect(
      await fixture.ids(.active, after: third), ["t2", "t1", "t0"], "The page after a thread that was deleted since")
    let fourth = try await fixture.summary("t4")
    try await fixture.store.append(fixture.turn("new", at: 50), to: "t4")
    try fixture.expect(
      await fixture.ids(.active, after: fourth), ["t2", "t1", "t0"], "The page after a thread that was changed since")
  }

  static func renames(_ fixture: ThreadStoreFixture) async throws {
    try await fixture.create("one", title: "Old", at: 1)
    try await fixture.create("two", at: 2)
    try await fixture.store.append(fixture.turn("said", at: 1), to: "one")
    try await fixture.store.change("one", .rename("New"))
    let thread = try await fixture.store.thread("one")
    try fixture.expect(thread.summary.title, "New", "The title of a renamed thread")
    try fixture.expect(thread.turns.count, 1, "The turn count of a renamed thread")
    try fixture.expect(thread.summary.createdAt, fixture.start + 1, "The creation time of a renamed thread")
    try fixture.expect(try await fixture.summary("one").title, "New", "The listed title of a renamed thread")
    try fixture.expect(await fixture.ids(.active), ["one", "two"], "The order after a thread was renamed")
  }

  static func ignoresChangesWithoutEffect(_ fixture: ThreadStoreFixture) async throws {
    for id in ["one", "two"] { try await fixture.create(id, title: id, at: id == "one" ? 1 : 2) }
    try await fixture.store.change("two", .archive)
    for (id, change) in [("one", .rename("one")), ("one", .unarchive), ("two", .archive), ("two", .rename("two"))]
      as [(String, ChappieThreadChange)]
    {
      let before = try await fixture.summary(id)
      try await fixture.store.change(id, change)
      try fixture.expect(try await fixture.summary(id), before, "The summary of a thread after a change without effect")
    }
  }

  static func archives(_ fixture: ThreadStoreFixture) async throws {
    for id in ["one", "two"] { try await fixture.create(id, title: id, at: id == "one" ? 1 : 2) }
    try await fixture.store.append(fixture.turn("said", at: 3), to: "one")
    try await fixture.store.change("one", .archive)
    try fixture.expect(await fixture.ids(.active), ["two"], "The active threads after one was archived")
    try fixture.expect(await fixture.ids(.archived), ["one"], "The archived threads")
    try fixture.expect(await fixture.ids(.all), ["one", "two"], "All threads")
    let archived = try await fixture.store.thread("one")
    try fixture.expect(archived.turns.count, 1, "The turn count of an archived thread")
    try fixture.expect(
      archived.summary.updatedAt, fixture.start + 3, "The time of the last change of an archived thread")
    try fixture.expect(
      (archived.summary.archivedAt ?? 0) > fixture.start, "An archived thread should have a time of archiving.")
    try await fixture.store.change("one", .archive)
    try fixture.expect(
      try await fixture.summary("one").archivedAt, archived.summary.archivedAt,
      "The time of archiving of a thread that was archived twice")
  }

  static func unarchives(_ fixture: ThreadStoreFixture) async throws {
    try await fixture.create("one", at: 1)
    try await fixture.create("two", at: 2)
    try await fixture.store.change("two", .unarchive)
    try fixture.expect(
      try await fixture.summary("two").updatedAt, fixture.start + 2,
      "The time of the last change of an active thread after it was unarchived")
    try await fixture.store.change("one", .archive)
    try await fixture.store.change("one", .unarchive)
    try fixture.expect(await fixture.ids(.archived), [], "The archived threads after one was unarchived")
    try fixture.expect(
      await fixture.ids(.active), ["one", "two"], "The order after a thread was unarchived, which is a change,")
  }

  static func aTurnUnarchives(_ fixture: ThreadStoreFixture) async throws {
    try await fixture.create("one")
    try await fixture.store.change("one", .archive)
    try await fixture.store.append(fixture.turn("said", at: 1), to: "one")
    try fixture.expect(await fixture.ids(.active), ["one"], "The active threads after a turn in an archived thread")
    try fixture.expect(await fixture.ids(.archived), [], "The archived threads after a turn in an archived thread")
    try fixture.expect(
      !(try await fixture.store.thread("one")).summary.isArchived, "A turn should unarchive its thread.")
  }

  static func deletes(_ fixture: ThreadStoreFixture) async throws {
    for id in ["one", "two", "three"] { try await fixture.create(id) }
    try await fixture.store.append(fixture.turn("gone"), to: "one")
    try await fixture.store.change("two", .archive)
    for id in ["one", "two"] { try await fixture.store.delete(id) }
    try fixture.expect(await fixture.ids(.all), ["three"], "The threads that remain after two were deleted")
    try await fixture.expectNoThread("Reading a deleted thread") { _ = try await fixture.store.thread("one") }
    try await fixture.expectNoThread("Deleting a thread twice") { try await fixture.store.delete("one") }
    try await fixture.create("one")
    try fixture.expect(
      try await fixture.store.thread("one").turns, [], "The turns of a thread that was deleted and created again")
  }

  static func refusesMissingThreads(_ fixture: ThreadStoreFixture) async throws {
    try await fixture.create("one")
    for id in ["gone", "../one", "", "ONE", "one/"] {
      try await fixture.expectNoThread("Reading '\(id)'") { _ = try await fixture.store.thread(id) }
      try await fixture.expectNoThread("A turn in '\(id)'") {
        try await fixture.store.append(fixture.turn("lost"), to: id)
      }
      try await fixture.expectNoThread("Renaming '\(id)'") { try await fixture.store.change(id, .rename("lost")) }
      try await fixture.expectNoThread("Archiving '\(id)'") { try await fixture.store.change(id, .archive) }
      try await fixture.expectNoThread("Unarchiving '\(id)'") { try await fixture.store.change(id, .unarchive) }
      try await fixture.expectNoThread("Deleting '\(id)'") { try await fixture.store.delete(id) }
    }
    try fixture.expect(await fixture.ids(.all), ["one"], "The threads after changes of missing threads")
  }

  static func countsUsage(_ fixture: ThreadStoreFixture) async throws {
    try await fixture.create("one")
    try await fixture.create("two")
    let before = try await fixture.store.usage()
    try fixture.expect(before.limitBytes, 256 << 20, "The size limit of the default policy")
    let text = String(repeating: "x", count: 10_000)
    try await fixture.store.append(fixture.turn(text), to: "one")
    try await fixture.store.change("two", .archive)
    let after = try await fixture.store.usage()
    try fixture.expect(after.threadCount, 2, "The thread count, which includes archived ones,")
    try fixture.expect(after.archivedCount, 1, "The archived count")
    // A store may compress, and this text compresses well, so the size itself is not checked.
    try fixture.expect(after.usedBytes > before.usedBytes, "A turn should increase the used bytes.")
    try fixture.expect(
      try await fixture.summary("one").bytes > fixture.summary("two").bytes,
      "A turn should increase the bytes of its thread.")
    try await fixture.store.delete("one")
    let end = try await fixture.store.usage()
    try fixture.expect(end.threadCount, 1, "The thread count after one was deleted")
    try fixture.expect(end.usedBytes < after.usedBytes, "Deleting a thread should decrease the used bytes.")
  }
}
