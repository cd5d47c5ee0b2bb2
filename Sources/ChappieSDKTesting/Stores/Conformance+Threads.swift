import ChappieSDK
import ChappieSDKRuntime

extension ChappieThreadStoreConformance {
  static func listsNewestFirst(_ trial: StoreTrial) async throws {
    for (id, second) in [("b", 20), ("a", 30), ("d", 30), ("c", 30)] as [(String, Int64)] {
      try await trial.create(id, at: second)
    }
    try trial.expect(await trial.ids(.active), ["c", "d", "a", "b"], "The order of threads")
    try await trial.store.append(trial.turn("late", at: 40), to: "a")
    try trial.expect(await trial.ids(.active), ["a", "c", "d", "b"], "The order after a turn")
    for id in ["d", "b", "d"] {
      try await trial.store.append(trial.turn("of the same second", at: 40), to: id)
      try trial.expect(await trial.ids(.active).first, id, "The first thread after several changes in one second")
    }
    try await trial.store.append(trial.turn("of an earlier time", at: 5), to: "c")
    try trial.expect(await trial.ids(.active), ["c", "d", "b", "a"], "The order after the clock was set back")
    let numbers = try await trial.store.threads(ChappieThreadQuery()).map(\.changeNumber)
    try trial.expect(numbers, Array(Set(numbers)).sorted(by: >), "The change numbers, newest first,")
    try trial.expect(
      await trial.summary("c").updatedAt, trial.start + 30,
      "The time of the last change after the clock was set back")
  }

  static func listsInPages(_ trial: StoreTrial) async throws {
    for number in 0..<7 { try await trial.create("t\(number)", at: Int64(number / 2)) }
    try await trial.store.change("t3", .archive)
    let all = ["t6", "t5", "t4", "t2", "t1", "t0"]
    try trial.expect(await trial.ids(.active), all, "The active threads")
    for size in 1...7 {
      var listed: [ChappieThreadSummary] = []
      while true {
        let page = try await trial.store.threads(ChappieThreadQuery(.active, limit: size, after: listed.last))
        try trial.expect(page.count <= size, "A page of at most \(size) has \(page.count) threads.")
        guard !page.isEmpty else { break }
        listed += page
        try trial.expect(listed.count <= all.count, "Pages should end with the last thread.")
      }
      try trial.expect(listed.map(\.id), all, "The threads of all pages of \(size)")
    }
    let third = try await trial.summary("t3")
    try trial.expect(
      await trial.ids(.active, after: third), ["t2", "t1", "t0"], "The page after a thread that was archived since")
    try trial.expect(await trial.ids(.archived, limit: 1), ["t3"], "A page of the archived threads")
    try trial.expect(await trial.ids(.all, limit: 4), ["t6", "t5", "t4", "t3"], "A page of all threads")
    try await trial.store.delete("t3")
    try trial.expect(
      await trial.ids(.active, after: third), ["t2", "t1", "t0"], "The page after a thread that was deleted since")
    let fourth = try await trial.summary("t4")
    try await trial.store.append(trial.turn("new", at: 50), to: "t4")
    try trial.expect(
      await trial.ids(.active, after: fourth), ["t2", "t1", "t0"], "The page after a thread that was changed since")
  }

  static func renames(_ trial: StoreTrial) async throws {
    try await trial.create("one", title: "Old", at: 1)
    try await trial.create("two", at: 2)
    try await trial.store.append(trial.turn("said", at: 1), to: "one")
    try await trial.store.change("one", .rename("New"))
    let thread = try await trial.store.thread("one")
    try trial.expect(thread.summary.title, "New", "The title of a renamed thread")
    try trial.expect(thread.turns.count, 1, "The turn count of a renamed thread")
    try trial.expect(thread.summary.createdAt, trial.start + 1, "The creation time of a renamed thread")
    try trial.expect(try await trial.summary("one").title, "New", "The listed title of a renamed thread")
    try trial.expect(await trial.ids(.active), ["one", "two"], "The order after a thread was renamed")
  }

  static func ignoresChangesWithoutEffect(_ trial: StoreTrial) async throws {
    for id in ["one", "two"] { try await trial.create(id, title: id, at: id == "one" ? 1 : 2) }
    try await trial.store.change("two", .archive)
    for (id, change) in [("one", .rename("one")), ("one", .unarchive), ("two", .archive), ("two", .rename("two"))]
      as [(String, ChappieThreadChange)]
    {
      let before = try await trial.summary(id)
      try await trial.store.change(id, change)
      try trial.expect(try await trial.summary(id), before, "The summary of a thread after a change without effect")
    }
  }

  static func archives(_ trial: StoreTrial) async throws {
    for id in ["one", "two"] { try await trial.create(id, title: id, at: id == "one" ? 1 : 2) }
    try await trial.store.append(trial.turn("said", at: 3), to: "one")
    try await trial.store.change("one", .archive)
    try trial.expect(await trial.ids(.active), ["two"], "The active threads after one was archived")
    try trial.expect(await trial.ids(.archived), ["one"], "The archived threads")
    try trial.expect(await trial.ids(.all), ["one", "two"], "All threads")
    let archived = try await trial.store.thread("one")
    try trial.expect(archived.turns.count, 1, "The turn count of an archived thread")
    try trial.expect(archived.summary.updatedAt, trial.start + 3, "The time of the last change of an archived thread")
    try trial.expect(
      (archived.summary.archivedAt ?? 0) > trial.start, "An archived thread should have a time of archiving.")
    try await trial.store.change("one", .archive)
    try trial.expect(
      try await trial.summary("one").archivedAt, archived.summary.archivedAt,
      "The time of archiving of a thread that was archived twice")
  }

  static func unarchives(_ trial: StoreTrial) async throws {
    try await trial.create("one", at: 1)
    try await trial.create("two", at: 2)
    try await trial.store.change("two", .unarchive)
    try trial.expect(
      try await trial.summary("two").updatedAt, trial.start + 2,
      "The time of the last change of an active thread after it was unarchived")
    try await trial.store.change("one", .archive)
    try await trial.store.change("one", .unarchive)
    try trial.expect(await trial.ids(.archived), [], "The archived threads after one was unarchived")
    try trial.expect(
      await trial.ids(.active), ["one", "two"], "The order after a thread was unarchived, which is a change,")
  }

  static func aTurnUnarchives(_ trial: StoreTrial) async throws {
    try await trial.create("one")
    try await trial.store.change("one", .archive)
    try await trial.store.append(trial.turn("said", at: 1), to: "one")
    try trial.expect(await trial.ids(.active), ["one"], "The active threads after a turn in an archived thread")
    try trial.expect(await trial.ids(.archived), [], "The archived threads after a turn in an archived thread")
    try trial.expect(!(try await trial.store.thread("one")).summary.isArchived, "A turn should unarchive its thread.")
  }

  static func deletes(_ trial: StoreTrial) async throws {
    for id in ["one", "two", "three"] { try await trial.create(id) }
    try await trial.store.append(trial.turn("gone"), to: "one")
    try await trial.store.change("two", .archive)
    for id in ["one", "two"] { try await trial.store.delete(id) }
    try trial.expect(await trial.ids(.all), ["three"], "The threads that remain after two were deleted")
    try await trial.expectNoThread("Reading a deleted thread") { _ = try await trial.store.thread("one") }
    try await trial.expectNoThread("Deleting a thread twice") { try await trial.store.delete("one") }
    try await trial.create("one")
    try trial.expect(
      try await trial.store.thread("one").turns, [], "The turns of a thread that was deleted and created again")
  }

  static func refusesMissingThreads(_ trial: StoreTrial) async throws {
    try await trial.create("one")
    for id in ["gone", "../one", "", "ONE", "one/"] {
      try await trial.expectNoThread("Reading '\(id)'") { _ = try await trial.store.thread(id) }
      try await trial.expectNoThread("A turn in '\(id)'") { try await trial.store.append(trial.turn("lost"), to: id) }
      try await trial.expectNoThread("Renaming '\(id)'") { try await trial.store.change(id, .rename("lost")) }
      try await trial.expectNoThread("Archiving '\(id)'") { try await trial.store.change(id, .archive) }
      try await trial.expectNoThread("Unarchiving '\(id)'") { try await trial.store.change(id, .unarchive) }
      try await trial.expectNoThread("Deleting '\(id)'") { try await trial.store.delete(id) }
    }
    try trial.expect(await trial.ids(.all), ["one"], "The threads after changes of missing threads")
  }

  static func countsUsage(_ trial: StoreTrial) async throws {
    try await trial.create("one")
    try await trial.create("two")
    let before = try await trial.store.usage()
    try trial.expect(before.limitBytes, 256 << 20, "The size limit of the default policy")
    let text = String(repeating: "x", count: 10_000)
    try await trial.store.append(trial.turn(text), to: "one")
    try await trial.store.change("two", .archive)
    let after = try await trial.store.usage()
    try trial.expect(after.threadCount, 2, "The thread count, which includes archived ones,")
    try trial.expect(after.archivedCount, 1, "The archived count")
    // A store may compress, and this text compresses well, so the size itself is not checked.
    try trial.expect(after.usedBytes > before.usedBytes, "A turn should increase the used bytes.")
    try trial.expect(
      try await trial.summary("one").bytes > trial.summary("two").bytes,
      "A turn should increase the bytes of its thread.")
    try await trial.store.delete("one")
    let end = try await trial.store.usage()
    try trial.expect(end.threadCount, 1, "The thread count after one was deleted")
    try trial.expect(end.usedBytes < after.usedBytes, "Deleting a thread should decrease the used bytes.")
  }
}
