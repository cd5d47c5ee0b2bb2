import GLibBridge

/// A call of a tool, as the model wrote it.
struct ToolCallItem: Equatable {
  let callID: String
  let name: String
  /// JSON text.
  let arguments: String

  /// Nil for an item that is no call of a function.
  init?(_ item: JSON) {
    guard item["type"]?.string == "function_call", let callID = item["call_id"]?.string, let name = item["name"]?.string
    else { return nil }
    self.callID = callID
    self.name = name
    arguments = item["arguments"]?.string ?? ""
  }
}
