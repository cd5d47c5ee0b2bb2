import ChappieSDK

/// The tools that a request declares.
struct ToolList {
  /// The names of the tools that are functions.
  let names: Set<String>
  /// The size of the tools in the context window, in bytes.
  let bytes: Int

  init(checking tools: ChappieJSONValue?) throws(InvalidRequest) {
    guard let tools, tools != .null else {
      names = []
      bytes = 0
      return
    }
    guard let list = tools.arrayValue else { throw InvalidRequest(detail: "Tools must be a list") }
    var names: Set<String> = []
    for tool in list {
      guard let type = tool["type"]?.stringValue else { throw InvalidRequest(detail: "A tool needs a 'type'") }
      if type == "namespace" { _ = try ToolList(checking: tool["tools"]) }
      guard type == "function" || type == "custom" else { continue }
      let name = tool["name"]?.stringValue ?? ""
      guard Self.isName(name) else { throw InvalidRequest(detail: "Invalid value: '\(name)' is no name of a tool") }
      guard type == "function" else { continue }
      if let parameters = tool["parameters"], parameters != .null, parameters["type"]?.stringValue != "object" {
        throw InvalidRequest(detail: "Invalid schema for function '\(name)': schema must be of the type \"object\"")
      }
      guard names.insert(name).inserted else { throw InvalidRequest(detail: "The tool '\(name)' is declared twice") }
    }
    self.names = names
    bytes = tools.encoded.count
  }

  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
  }
}
