import GLibBridge

/// A call of a tool, as the model wrote it.
package struct ToolCallItem: Equatable {
  package let callID: String
  package let name: String
  /// JSON text.
  package let arguments: String

  /// Nil for an item that is no call of a function.
  package init?(_ item: JSON) {
    guard item["type"]?.string == "function_call", let callID = item["call_id"]?.string, let name = item["name"]?.string
    else { return nil }
    self.callID = callID
    self.name = name
    arguments = item["arguments"]?.string ?? ""
  }
}
