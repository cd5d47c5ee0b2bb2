// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import HTTPTestServer

/// The content of a message or of a tool's output: a text, or a list of parts.
struct MessageContent: Sendable {
  private(set) var text = ""
  private(set) var images = 0
  /// The names of the files.
  private(set) var files: [String] = []

  /// The size in the context window, in bytes; that of any image or file is the same.
  var bytes: Int { text.utf8.count + (images + files.count) * 4096 }

  /// Empty content.
  init() {}

  init(checking content: ChappieJSONValue?, _ role: InputItem.Role) throws(HTTPServerResponse) {
    if let text = content?.stringValue {
      self.text = text
      return
    }
    guard let parts = content?.arrayValue else { throw .detail("Content must be a text or a list of parts") }
    var texts: [String] = []
    for part in parts {
      let type = part["type"]?.stringValue ?? ""
      switch type {
      case "output_text" where role == .assistant, "input_text" where role != .assistant:
        guard let text = part["text"]?.stringValue else { throw .detail("A part of the type \(type) needs 'text'") }
        texts.append(text)
      case "refusal" where role == .assistant, "input_audio" where role != .assistant:
        break
      case "input_image" where role != .assistant:
        try Self.checkImage(part)
        images += 1
      case "input_file" where role != .assistant:
        files.append(try Self.file(part))
      default:
        throw .detail("Invalid value: '\(type)' is no type of a part of \(role.rawValue) content")
      }
    }
    text = texts.joined(separator: "\n")
  }

  /// The name of a file.
  private static func file(_ part: ChappieJSONValue) throws(HTTPServerResponse) -> String {
    guard isData(part["file_data"]?.stringValue ?? "", of: "") else {
      throw .detail("Invalid value: 'file_data' must be a data address")
    }
    guard let name = part["filename"]?.stringValue, !name.isEmpty else {
      throw .error(
        400, "invalid_request_error", "Missing required parameter: 'filename' beside 'file_data'", param: "input")
    }
    return name
  }

  private static func checkImage(_ part: ChappieJSONValue) throws(HTTPServerResponse) {
    let url = part["image_url"]?.stringValue ?? ""
    guard url.hasPrefix("https://") || isData(url, of: "image/") else {
      throw .detail("Invalid value: 'image_url' must be an https address or a data address with an image")
    }
    if let detail = part["detail"]?.stringValue, !["auto", "low", "high", "original"].contains(detail) {
      throw .detail("Invalid value: '\(detail)' is no detail of an image")
    }
  }

  /// Whether an address is `data:…;base64,` with content after it, of a media type that begins with `type`.
  private static func isData(_ url: String, of type: String) -> Bool {
    guard url.hasPrefix("data:" + type), let comma = url.firstIndex(of: ",") else { return false }
    let data = url[url.index(after: comma)...].utf8
    return url[..<comma].hasSuffix(";base64") && !data.isEmpty && data.allSatisfy(base64.contains)
  }

  private static let base64 = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=".utf8)
}

/// The tools that a request declares.
struct ToolList {
  /// The names of the tools that are functions.
  private(set) var names: Set<String> = []
  /// The size of the tools in the context window, in bytes.
  private(set) var bytes = 0

  init(checking tools: ChappieJSONValue?) throws(HTTPServerResponse) {
    guard let tools, tools != .null else { return }
    guard let list = tools.arrayValue else { throw .detail("Tools must be a list") }
    for tool in list {
      guard let type = tool["type"]?.stringValue else { throw .detail("A tool needs a 'type'") }
      if type == "namespace" { _ = try ToolList(checking: tool["tools"]) }
      guard type == "function" || type == "custom" else { continue }
      let name = tool["name"]?.stringValue ?? ""
      guard name.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else {
        throw .detail("Invalid value: '\(name)' is no name of a tool")
      }
      guard type == "function" else { continue }
      if let parameters = tool["parameters"], parameters != .null, parameters["type"]?.stringValue != "object" {
        throw .detail("Invalid schema for function '\(name)': schema must be of the type \"object\"")
      }
      guard names.insert(name).inserted else { throw .detail("The tool '\(name)' is declared twice") }
    }
    bytes = tools.encoded.count
  }
}
