import ChappieSDKRuntime
import GLibBridge
import Platform

/// What `org.chappie.Threads` lists of a thread.
struct ThreadSummary {
  let id: String
  let title: String
  let createdAt: Int64
  let updatedAt: Int64
  let isArchived: Bool
  let turnCount: UInt32
  let bytes: UInt64
  let cursor: String?

  init(_ values: VariantDictionary) throws {
    id = try values.value("id") ?? ""
    // Files are named by it.
    guard ThreadID.isValid(id) else {
      throw CommandFailure(.failed, "What the service lists is no thread: its id is “\(id.harmlessLine)”.")
    }
    title = try values.value("title") ?? ""
    createdAt = try values.value("created_at") ?? 0
    updatedAt = try values.value("updated_at") ?? 0
    isArchived = try values.value("archived") ?? false
    turnCount = try values.value("turn_count") ?? 0
    bytes = try values.value("bytes") ?? 0
    cursor = try values.value("cursor")
  }

  /// The beginning of an id, which is enough to name the thread.
  static func short(_ id: String) -> String { String(id.prefix(8)).harmlessLine }

  /// A title as a person reads it.
  static func shown(_ title: String) -> String { title.trimmed.isEmpty ? "Untitled" : title.harmlessLine }

  /// A title within a sentence.
  static func quoted(_ title: String) -> String { "“\(shown(title))”" }

  /// How many turns there are, and what they take.
  static func size(turns: Int, bytes: UInt64) -> String {
    "\(turns) turn\(turns == 1 ? "" : "s"), \(ByteCount(bytes: bytes).text)"
  }

  var json: JSONObject {
    var object = JSONObject()
    object.set("id", id)
    object.set("title", title)
    object.set("created_at", createdAt)
    object.set("updated_at", updatedAt)
    object.set("archived", isArchived)
    object.set("turn_count", turnCount)
    object.set("bytes", bytes)
    return object
  }
}
