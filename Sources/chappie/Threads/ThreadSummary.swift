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

  static func table(_ threads: [ThreadSummary]) -> String {
    // The other columns take 56 characters.
    let room = Terminal.columns.map { max(20, $0 - 56) } ?? 60
    var table = Table(tr("THREAD"), tr("TITLE"), tr("CHANGED"), tr("TURNS"), tr("SIZE"))
    for thread in threads {
      table.append(
        short(thread.id), shown(thread.title).shortened(to: room), thread.updatedAt.localText, "\(thread.turnCount)",
        ByteCount(bytes: thread.bytes).text)
    }
    return table.text
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
