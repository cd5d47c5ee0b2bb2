// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform

extension ChappieThreadQuery {
  /// Decodes the filter of `List`.
  ///
  /// - Throws: `VariantError`, `BusError` with `InvalidArgument`.
  init(_ filter: VariantDictionary) throws {
    let limit: UInt32? = try filter.value("limit")
    guard limit != 0 else { throw BusError(.invalidArgument, "'limit' must be at least 1.") }
    self.init(
      try filter.value("archived") ?? false ? .archived : .active, limit: limit.map { Int(clamping: $0) },
      after: try filter.value("cursor").map(ChappieThreadSummary.init(cursor:)))
  }
}

extension ChappieThreadSummary {
  /// A place in the list. It stays valid if the thread is changed or deleted.
  fileprivate var cursor: String { "\(changeNumber).\(updatedAtSeconds).\(createdAtSeconds).\(id)" }

  /// Decodes a cursor. The summary has no other values than the place in the list.
  ///
  /// - Throws: `BusError` with `InvalidArgument`.
  fileprivate init(cursor: String) throws {
    let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let changeNumber = Count(text: parts[0]), let updatedAt = Timestamp(text: parts[1]),
      let createdAt = Timestamp(text: parts[2])
    else {
      throw BusError(.invalidArgument, "'cursor' must be that of a thread that List has given.")
    }
    let id = String(parts[3])
    self.init(
      id: id, createdAt: ChappieTime(unixSeconds: createdAt.unixSeconds),
      updatedAt: ChappieTime(unixSeconds: updatedAt.unixSeconds), changeNumber: Int64(changeNumber.value))
  }

  /// The summary on the bus.
  func dictionary(isTitled: Bool) -> VariantDictionary {
    [
      "id": id, "created_at": createdAtSeconds, "updated_at": updatedAtSeconds, "archived": isArchived,
      "turn_count": UInt32(clamping: turnCount), "bytes": UInt64(clamping: bytes), "cursor": cursor,
      "title": isTitled ? title : nil,
    ]
  }
}

extension ChappieThreadStoreUsage {
  /// The usage on the bus.
  var dictionary: VariantDictionary {
    [
      "used_bytes": UInt64(clamping: usedBytes), "limit_bytes": UInt64(clamping: limitBytes ?? 0),
      "thread_count": UInt32(clamping: threadCount), "archived_count": UInt32(clamping: archivedCount),
      "unreadable_count": UInt32(clamping: unreadableCount),
    ]
  }
}

/// A message of a transcript on the bus: its role and its text.
struct TranscriptEntry {
  let role: String
  let text: String
}

extension TranscriptEntry: VariantConvertible {
  static var variantType: String { "(ss)" }

  var variant: Variant { .tuple(role, text) }

  init(variant: Variant) throws(VariantError) {
    self.init(role: try variant.member(0, "role"), text: try variant.member(1, "text"))
  }

  /// The message of the entry.
  ///
  /// - Throws: `BusError` with `InvalidArgument` if the role does not exist.
  func message() throws -> ChappieInputMessage {
    guard let role = ChappieInputMessage.Role(rawValue: role) else {
      let known = ChappieInputMessage.Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw BusError(.invalidArgument, "There is no role '\(role)': use one of \(known).")
    }
    return ChappieInputMessage(role: role, text: text)
  }
}

extension ChappieClientContext {
  /// The context on the bus.
  var dictionary: VariantDictionary {
    [
      "session_id": sessionID, "thread_id": threadID, "model": model,
      "messages": messages.map { TranscriptEntry(role: $0.role.rawValue, text: $0.text) },
      "created_at": createdAtSeconds, "updated_at": updatedAtSeconds, "message_count": UInt32(clamping: messageCount),
      "estimated_tokens": UInt32(clamping: estimatedTokens), "default_model": usesDefaultModel,
      "compacted_summary": compactedSummary,
    ]
  }

  /// The estimated memory of the context, in bytes.
  var footprint: Int {
    messages.reduce(compactedSummary?.utf8.count ?? 0) { $0 + 256 + $1.text.utf8.count }
  }

  /// Decodes the context for `ResumeContext`. Absent keys keep the values of `base`; without the keys for messages and
  /// summary, the context has none.
  ///
  /// - Throws: `VariantError`, `BusError` with `InvalidArgument` or `LimitExceeded`.
  init(_ dictionary: VariantDictionary, base: ChappieClientContext) throws {
    try Limits.messages.check(dictionary["messages"]?.childCount ?? 0)
    let messages: [TranscriptEntry] = try dictionary.value("messages") ?? []
    let summary: String? = try dictionary.value("compacted_summary")
    let model = try dictionary.name("model")
    try Limits.promptBytes.check(messages.reduce(summary?.utf8.count ?? 0) { $0 + $1.text.utf8.count })
    self.init(
      sessionID: try dictionary.name("session_id") ?? base.sessionID,
      threadID: try dictionary.name("thread_id") ?? base.threadID,
      model: model ?? base.model,
      messages: try messages.map { try $0.message() },
      compactedSummary: summary?.isEmpty == true ? nil : summary,
      createdAt: ChappieTime(unixSeconds: try dictionary.value("created_at") ?? base.createdAtSeconds),
      updatedAt: ChappieTime(unixSeconds: try dictionary.value("updated_at") ?? base.updatedAtSeconds),
      usesDefaultModel: try dictionary.value("default_model") ?? (model == nil && base.usesDefaultModel))
  }
}

extension ChappieContextSize {
  /// The context size on the bus.
  var dictionary: VariantDictionary {
    [
      "estimated_tokens": UInt32(clamping: estimatedTokens), "context_window": UInt32(clamping: contextWindow),
      "remaining_tokens": UInt32(clamping: remainingTokens), "used_percent": usedPercent,
    ]
  }
}
