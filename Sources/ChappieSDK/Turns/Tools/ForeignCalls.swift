/// Calls of tool kinds other than functions. This client declares none, but a model may still make one.
///
/// The backend permanently refuses a conversation with an unanswered call. Therefore a call of a custom tool gets an
/// error as its output. Calls of other kinds need an answer in a format that this client does not know, so they are
/// left out.
struct ForeignCalls {
  private static let customCall = "custom_tool_call"
  private static let outputSuffix = "_output"
  private static let answer = "There is no such tool here, and no tool of this kind: do without it."

  /// The outputs for the calls that can be answered.
  let outputs: [ConversationItem]
  /// The kind of an omitted call; nil if none is omitted.
  let omittedKind: String?
  /// The items of the answer that the conversation keeps.
  let kept: [ChappieJSONValue]
  /// Whether all ids are plain names and not parts of a token in use.
  let havePlainIDs: Bool

  /// Call this while the token of the request is in memory.
  init(among items: [ChappieJSONValue]) {
    let ids = items.compactMap { $0["type"]?.stringValue == Self.customCall ? $0["call_id"]?.stringValue ?? "" : nil }
    havePlainIDs = ids.allSatisfy { Redaction.name($0) != nil }
    outputs = ids.map { .customToolOutput(callID: $0, output: Self.answer) }
    let omitted = Self.omitted(among: items)
    kept = items.enumerated().filter { !omitted.contains($0.offset) }.map(\.element)
    omittedKind = omitted.lazy.compactMap { items[$0]["type"]?.stringValue }.first { $0 != "reasoning" }
      .map { Redaction.name($0) ?? "[…]" }
  }

  /// The indices of the omitted items: calls without an answer, and the reasoning directly before them, which belongs
  /// to nothing else.
  private static func omitted(among items: [ChappieJSONValue]) -> [Int] {
    let answered = Set(items.filter(isOutput).compactMap { $0["call_id"]?.stringValue })
    var omitted: [Int] = []
    for (index, item) in items.enumerated() where isUnanswerable(item, answered) {
      if index > 0, items[index - 1]["type"]?.stringValue == "reasoning" { omitted.append(index - 1) }
      omitted.append(index)
    }
    return omitted
  }

  private static func isOutput(_ item: ChappieJSONValue) -> Bool {
    item["type"]?.stringValue?.hasSuffix(outputSuffix) == true
  }

  /// Whether an item looks like a call that the backend has not run itself.
  private static func isUnanswerable(_ item: ChappieJSONValue, _ answered: Set<String>) -> Bool {
    guard let id = item["call_id"]?.stringValue, !isOutput(item) else { return false }
    return ToolCallItem(item) == nil && item["type"]?.stringValue != customCall && !answered.contains(id)
  }
}
