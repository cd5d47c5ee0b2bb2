// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import HTTPTestServer
import SecretMemory

/// An item of a conversation, reduced to the parts that the stand-in uses.
struct InputItem: Sendable {
  enum Role: String {
    case user
    case assistant
    case developer
  }

  enum Content {
    case message(Role, MessageContent)
    case call(id: String, name: String)
    case output(id: String, text: String)
    /// Replaces this number of messages.
    case compaction(messages: Int)
    case compactionTrigger
    /// Declares tools with these names.
    case tools(Set<String>)
    /// An item without influence on the answer.
    case other
  }

  let content: Content
  /// The size of the item in the context window, in bytes.
  let bytes: Int

  var isCompactionTrigger: Bool {
    if case .compactionTrigger = content { true } else { false }
  }
}

extension InputItem {
  /// The types of items that the backend accepts and the stand-in ignores.
  private static let otherTypes: Set = [
    "local_shell_call", "local_shell_call_output", "tool_search_call", "tool_search_output", "web_search_call",
    "image_generation_call", "agent_message",
  ]

  init(checking item: ChappieJSONValue) throws(HTTPServerResponse) {
    guard item.objectValue != nil else { throw .detail("An item of input is not an object") }
    func text(_ key: String) throws(HTTPServerResponse) -> String {
      guard let text = item[key]?.stringValue else { throw Self.missing(key) }
      return text
    }
    let type = item["type"]?.stringValue ?? "message"
    switch type {
    case "message":
      let name = item["role"]?.stringValue ?? ""
      guard let role = Role(rawValue: name) else { throw .detail("Invalid value: '\(name)' is no role") }
      let content = try MessageContent(checking: item["content"], role)
      self.init(content: .message(role, content), bytes: content.bytes)
    case "reasoning":
      guard item["summary"]?.arrayValue != nil else { throw Self.missing("summary") }
      // Without encrypted content there is nothing to check.
      let sealed = item["encrypted_content"] ?? .null
      guard sealed.isNull || EncryptedContent.open(sealed.stringValue ?? "", type) != nil else {
        throw Self.unverified
      }
      self.init(content: .other, bytes: sealed.stringValue?.utf8.count ?? 0)
    case "function_call", "custom_tool_call":
      let (id, name) = (try text("call_id"), try text("name"))
      let payload = try text(type == "function_call" ? "arguments" : "input")
      self.init(content: .call(id: id, name: name), bytes: name.utf8.count + payload.utf8.count)
    case "function_call_output", "custom_tool_call_output":
      let id = try text("call_id")
      guard let output = item["output"] else { throw Self.missing("output") }
      let content = try MessageContent(checking: output, .user)
      self.init(content: .output(id: id, text: content.text), bytes: content.bytes)
    case "compaction", "compaction_summary":
      let sealed = try text("encrypted_content")
      guard let messages = EncryptedContent.open(sealed, "compaction") else { throw Self.unverified }
      self.init(content: .compaction(messages: messages), bytes: sealed.utf8.count)
    case "compaction_trigger":
      self.init(content: .compactionTrigger, bytes: 0)
    case "additional_tools":
      let tools = try ToolList(checking: item["tools"])
      self.init(content: .tools(tools.names), bytes: tools.bytes)
    case _ where Self.otherTypes.contains(type):
      self.init(content: .other, bytes: item.encoded.count)
    default:
      throw .detail("Invalid value: '\(type)' is no type of an item of input")
    }
  }

  private static func missing(_ key: String) -> HTTPServerResponse {
    .detail("Missing or invalid parameter: an item of input needs '\(key)'")
  }

  private static let unverified = HTTPServerResponse.detail("The encrypted content could not be verified")
}

/// The `encrypted_content` that the backend issues and later accepts only unchanged.
///
/// The stand-in uses a checksum in place of encryption, so that content stays valid after a restart.
enum EncryptedContent {
  /// Makes a content that holds a number for the stand-in.
  ///
  /// - Parameter type: the type of the item that has the content.
  static func seal(_ type: String, _ number: Int) -> String {
    let text = "sealed.\(type).\(number).\(RandomText.hex(bytes: 16))"
    return "\(text).\(check(text))"
  }

  /// The number in a content; nil if it was changed, or not made by the stand-in.
  static func open(_ content: String, _ type: String) -> Int? {
    let parts = content.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[1] == type, parts[4] == check(parts[..<4].joined(separator: ".")) else {
      return nil
    }
    return Int(parts[2])
  }

  private static func check(_ text: String) -> String {
    SHA256.digest(of: Array("chappie-sandbox \(text)".utf8)).prefix(8).map { String($0, radix: 16) }.joined()
  }
}
