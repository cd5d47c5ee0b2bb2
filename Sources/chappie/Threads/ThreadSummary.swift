// SPDX-License-Identifier: Apache-2.0
import ChappieSDKRuntime
import GLibBridge
import Platform

/// An entry in the list of threads of `org.chappie.Threads`.
struct ThreadSummary {
  private let values: VariantDictionary
  let id: String
  let title: String
  let updatedAt: Timestamp
  let turnCount: UInt32
  let bytes: UInt64
  let cursor: String?

  init(_ values: VariantDictionary) throws {
    self.values = values
    id = try values.value("id") ?? ""
    // The id becomes part of a file name.
    guard ThreadID.isValid(id) else {
      throw CommandFailure(.failed, tr("The service listed a thread with an invalid id: “\(id.terminalSafeLine)”."))
    }
    title = try values.value("title") ?? ""
    updatedAt = try values.time("updated_at") ?? .distantPast
    turnCount = try values.value("turn_count") ?? 0
    bytes = try values.value("bytes") ?? 0
    cursor = try values.value("cursor")
  }

  /// The first eight characters of an id.
  static func short(_ id: String) -> String { String(id.prefix(8)).terminalSafeLine }

  /// A title for display.
  static func shown(_ title: String) -> String { title.trimmed.isEmpty ? tr("Untitled") : title.terminalSafeLine }

  /// A title in quotation marks, for a sentence.
  static func quoted(_ title: String) -> String { tr("“\(shown(title))”") }

  /// The number of turns and their size.
  static func size(turns: Int, bytes: UInt64) -> String {
    let bytes = ByteCount(bytes: bytes).text
    return tr(turns, one: "\(turns) turn, \(bytes)", other: "\(turns) turns, \(bytes)")
  }

  /// The times of a thread, a phrase each.
  static func times(_ thread: ChappieThreadSummary) -> [String] {
    [
      tr("begun \(Timestamp(clamping: thread.createdAtSeconds).localText)"),
      tr("changed \(Timestamp(clamping: thread.updatedAtSeconds).localText)"),
      thread.archivedAtSeconds.map { tr("archived \(Timestamp(clamping: $0).localText)") },
    ].compactMap(\.self)
  }

  var json: JSONObject {
    JSONObject(["id", "title", "created_at", "updated_at", "archived", "turn_count", "bytes"], of: values)
  }

  /// Reports that the thread cannot be read, which does not stop work on the others.
  ///
  /// - Throws: any other failure.
  func report(_ error: any Error) throws {
    let failure = CommandFailure(error)
    guard failure.status == .failed else { throw failure }
    CommandFailure.report("\(Self.quoted(title)): \(failure.message)")
  }

  static func table(_ threads: [ThreadSummary]) -> String {
    // The other columns take 56 characters.
    let room = Terminal.columns.map { max(20, $0 - 56) } ?? 60
    let rows = threads.map { thread in
      [
        short(thread.id), shown(thread.title).shortened(to: room), thread.updatedAt.localText, "\(thread.turnCount)",
        ByteCount(bytes: thread.bytes).text,
      ]
    }
    return Table(tr("THREAD"), tr("TITLE"), tr("CHANGED"), tr("TURNS"), tr("SIZE"), rows: rows).text
  }
}

/// A thread that the user named on the command line.
struct ThreadReference {
  let id: String
  /// Nil for one that was named by its whole id: it may not exist.
  var summary: ThreadSummary?

  /// The name of the thread in a message.
  var text: String { summary.map { ThreadSummary.quoted($0.title) } ?? ThreadSummary.short(id) }
}

/// The usage of an account's thread store, as `org.chappie.Threads` reports it.
struct ThreadStoreUsage {
  private let values: VariantDictionary
  let used: UInt64
  let limit: UInt64
  let count: UInt32
  let archivedCount: UInt32
  let unreadableCount: UInt32

  init(_ values: VariantDictionary) throws {
    self.values = values
    used = try values.value("used_bytes") ?? 0
    limit = try values.value("limit_bytes") ?? 0
    count = try values.value("thread_count") ?? 0
    archivedCount = try values.value("archived_count") ?? 0
    unreadableCount = try values.value("unreadable_count") ?? 0
  }

  var isEmpty: Bool { count == 0 && unreadableCount == 0 }

  var text: String {
    let used = ByteCount(bytes: used).text
    let size =
      limit == 0
      ? tr("\(used), without a limit")
      : UsageBar(percent: Double(self.used) * 100 / Double(limit)).text + "  "
        + tr("\(used) of \(ByteCount(bytes: limit).text)", context: "size")
    let counts = tr(
      Int(count), one: "\(count) thread, \(archivedCount) archived",
      other: "\(count) threads, \(archivedCount) archived")
    let unreadable = tr(
      Int(unreadableCount),
      one: "\(unreadableCount) cannot be read on this device: chappie threads delete --all removes it too",
      other: "\(unreadableCount) cannot be read on this device: chappie threads delete --all removes them too")
    return ([size, counts] + (unreadableCount > 0 ? [unreadable] : [])).map { $0 + "\n" }.joined()
  }

  var json: JSONObject {
    JSONObject(["used_bytes", "limit_bytes", "thread_count", "archived_count", "unreadable_count"], of: values)
  }
}
