/// Calls of other kinds than functions. This client declares none, and a model may make one all the same.
///
/// The backend refuses a conversation with a call that nobody has answered, now and for good. So a custom tool's call is
/// answered with an error, and whatever else wants an answer, which only who knows its kind can give, is left out.
struct ForeignCalls {
  private static let customCall = "custom_tool_call"
  private static let outputSuffix = "_output"
  private static let answer = "There is no such tool here, and no tool of this kind: do without it."

  /// The answers to those that can be answered.
  let outputs: [ConversationItem]
  /// The kind of a call that is left out; nil where none is.
  let omittedKind: String?
  /// The items of the answer that the conversation keeps.
  let kept: [ChappieJSONValue]
  /// Whether all ids are plain names, and no parts of a token that is at hand.
  let havePlainIDs: Bool

  /// To be made while the token of the request is at hand.
  init(among items: [ChappieJSONValue]) {
    let ids = items.compactMap { $0["type"]?.stringValue == Self.customCall ? $0["call_id"]?.stringValue ?? "" : nil }
    havePlainIDs = ids.allSatisfy { Redaction.name($0) != nil }
    outputs = ids.map { .customToolOutput(callID: $0, output: Self.answer) }
    let omitted = Self.omitted(among: items)
    kept = items.enumerated().filter { !omitted.contains($0.offset) }.map(\.element)
    omittedKind = omitted.lazy.compactMap { items[$0]["type"]?.stringValue }.first { $0 != "reasoning" }
      .map { Redaction.name($0) ?? "[…]" }
  }

  /// Where the items are that are left out: calls that nothing answers, and the thoughts right before them, which lead
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

  /// Whether an item has the mark of a call, and the backend has not run it itself.
  private static func isUnanswerable(_ item: ChappieJSONValue, _ answered: Set<String>) -> Bool {
    guard let id = item["call_id"]?.stringValue, !isOutput(item) else { return false }
    return ToolCallItem(item) == nil && item["type"]?.stringValue != customCall && !answered.contains(id)
  }
}
