// SPDX-License-Identifier: Apache-2.0
import ChappieSDKRuntime
import GLibBridge
import Platform

/// An entry in the list of threads of `org.chappie.Threads`.
struct ThreadSummary {
  let id: String
  let title: String
  let createdAt: Timestamp
  let updatedAt: Timestamp
  let isArchived: Bool
  let turnCount: UInt32
  let bytes: UInt64
  let cursor: String?

  init(_ values: VariantDictionary) throws {
    id = try values.value("id") ?? ""
    // The id becomes part of a file name.
    guard ThreadID.isValid(id) else {
      throw CommandFailure(.failed, tr("The service listed a thread with an invalid id: “\(id.terminalSafeLine)”."))
    }
    title = try values.value("title") ?? ""
    createdAt = try values.time("created_at") ?? .distantPast
    updatedAt = try values.time("updated_at") ?? .distantPast
    isArchived = try values.value("archived") ?? false
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
      tr("begun \(Timestamp(clamping: thread.createdAt).localText)"),
      tr("changed \(Timestamp(clamping: thread.updatedAt).localText)"),
      thread.archivedAt.map { tr("archived \(Timestamp(clamping: $0).localText)") },
    ].compactMap(\.self)
  }

  var json: JSONObject {
    var object = JSONObject()
    object.set("id", id)
    object.set("title", title)
    object.set("created_at", createdAt.unixSeconds)
    object.set("updated_at", updatedAt.unixSeconds)
    object.set("archived", isArchived)
    object.set("turn_count", turnCount)
    object.set("bytes", bytes)
    return object
  }
}

/// A thread that the user named on the command line.
enum ThreadReference {
  /// By its whole id. The thread may not exist.
  case whole(String)
  /// By the beginning of its id, or as the last one.
  case listed(ThreadSummary)

  var id: String {
    switch self {
    case .whole(let id): id
    case .listed(let thread): thread.id
    }
  }

  /// The name of the thread in a message.
  var text: String {
    switch self {
    case .whole(let id): ThreadSummary.short(id)
    case .listed(let thread): ThreadSummary.quoted(thread.title)
    }
  }
}
