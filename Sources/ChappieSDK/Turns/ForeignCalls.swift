// SPDX-License-Identifier: Apache-2.0

/// Calls of tool kinds other than functions. This client declares none, but a model may still make one.
///
/// The backend permanently refuses a conversation with an unanswered call. Therefore a call of a custom tool gets an
/// error as its output. Calls of other kinds need an answer in a format that this client does not know, so they are
/// left out, unless the backend has run them itself.
struct ForeignCalls {
  private static let customCall = "custom_tool_call"
  private static let answer = "There is no such tool here, and no tool of this kind: do without it."

  /// An output, which is an error, for each call of a custom tool.
  let outputs: [ConversationItem]
  /// The kind of the first omitted call, as an error may show it; nil if none is omitted.
  let omittedKind: String?
  /// The items of the answer that the conversation keeps, in order.
  let kept: [ChappieJSONValue]
  /// Whether the ids of all calls of custom tools are plain names and not parts of a token in use.
  let havePlainIDs: Bool

  /// Call this while the token of the request is in memory: no name in the answer may be a part of it.
  init(among items: [ChappieJSONValue]) {
    let ids = items.compactMap { $0["type"]?.stringValue == Self.customCall ? $0["call_id"]?.stringValue ?? "" : nil }
    havePlainIDs = ids.allSatisfy { Redaction.name($0) != nil }
    outputs = ids.map { .toolOutput(callID: $0, output: Self.answer, isCustom: true) }
    let answered = Set(items.filter(Self.isOutput).compactMap { $0["call_id"]?.stringValue })
    var kept: [ChappieJSONValue] = []
    var omittedKind: String?
    for (item, before) in zip(items, [nil] + items) {
      guard Self.isUnanswerable(item, answered) else {
        kept.append(item)
        continue
      }
      // The reasoning directly before a call belongs to nothing else.
      if before?["type"] == "reasoning" { kept.removeLast() }
      omittedKind = omittedKind ?? item["type"]?.stringValue
    }
    self.kept = kept
    self.omittedKind = omittedKind.map { Redaction.name($0) ?? "[…]" }
  }

  private static func isOutput(_ item: ChappieJSONValue) -> Bool {
    item["type"]?.stringValue?.hasSuffix("_output") == true
  }

  /// Whether an item is a call that neither this client nor the backend has an output for.
  private static func isUnanswerable(_ item: ChappieJSONValue, _ answered: Set<String>) -> Bool {
    guard let id = item["call_id"]?.stringValue, !isOutput(item) else { return false }
    return ToolCallItem(item) == nil && item["type"]?.stringValue != customCall && !answered.contains(id)
  }
}
