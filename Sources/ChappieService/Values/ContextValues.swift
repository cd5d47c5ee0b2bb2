// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

extension ChappieClientContext {
  /// The context on the bus.
  var dictionary: VariantDictionary {
    var dictionary: VariantDictionary = [
      "session_id": sessionID, "thread_id": threadID, "model": model,
      "messages": messages.map { TranscriptEntry(role: $0.role.rawValue, text: $0.text) },
      "created_at": createdAt, "updated_at": updatedAt, "message_count": UInt32(clamping: messageCount),
      "estimated_tokens": UInt32(clamping: estimatedTokens), "default_model": usesDefaultModel,
    ]
    dictionary.set("compacted_summary", compactedSummary)
    return dictionary
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
    try Limits.check(messages: dictionary["messages"]?.childCount ?? 0)
    let messages: [TranscriptEntry] = try dictionary.value("messages") ?? []
    let summary: String? = try dictionary.value("compacted_summary")
    let model = try dictionary.name("model")
    try Limits.check(promptBytes: messages.reduce(summary?.utf8.count ?? 0) { $0 + $1.text.utf8.count })
    self.init(
      sessionID: try dictionary.name("session_id") ?? base.sessionID,
      threadID: try dictionary.name("thread_id") ?? base.threadID,
      model: model ?? base.model,
      messages: try messages.map { try $0.message() },
      compactedSummary: summary?.isEmpty == true ? nil : summary,
      createdAt: try dictionary.value("created_at") ?? base.createdAt,
      updatedAt: try dictionary.value("updated_at") ?? base.updatedAt,
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
