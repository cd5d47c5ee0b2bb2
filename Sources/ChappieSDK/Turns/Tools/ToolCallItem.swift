/// A tool call, as the model wrote it.
package struct ToolCallItem: Equatable {
  package let callID: String
  package let name: String
  /// JSON text.
  package let arguments: String
  /// The name in a form that an error may show.
  let shownName: String
  /// Whether the id is a plain name and not part of a token in use.
  let hasPlainID: Bool

  /// Nil for an item that is not a function call.
  package init?(_ item: ChappieJSONValue) {
    guard item["type"]?.stringValue == "function_call", let callID = item["call_id"]?.stringValue,
      let name = item["name"]?.stringValue
    else { return nil }
    self.callID = callID
    self.name = name
    arguments = item["arguments"]?.stringValue ?? ""
    shownName = Redaction.name(name) ?? "[…]"
    hasPlainID = Redaction.name(callID) != nil
  }
}
