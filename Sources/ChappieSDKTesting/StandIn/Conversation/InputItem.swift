// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
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
    case message(Role, text: String, images: Int)
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
}

extension InputItem {
  /// The types of items that the backend accepts and the stand-in ignores.
  private static let otherTypes: Set = [
    "local_shell_call", "local_shell_call_output", "tool_search_call", "tool_search_output", "web_search_call",
    "image_generation_call", "agent_message",
  ]

  init(checking item: ChappieJSONValue) throws(HTTPServerResponse) {
    guard item.objectValue != nil else { throw .detail("An item of input is not an object") }
    let type = item["type"]?.stringValue ?? "message"
    switch type {
    case "message":
      self = try Self.message(item)
    case "reasoning":
      self = try Self.reasoning(item)
    case "function_call", "custom_tool_call":
      self = try Self.call(item, payload: type == "function_call" ? "arguments" : "input")
    case "function_call_output", "custom_tool_call_output":
      self = try Self.output(item)
    case "compaction", "compaction_summary":
      let content = try Self.text(item, "encrypted_content")
      guard let messages = EncryptedContent.open(content, .compaction) else { throw Self.unverified }
      self.init(content: .compaction(messages: messages), bytes: content.utf8.count)
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

  // MARK: Types

  private static func message(_ item: ChappieJSONValue) throws(HTTPServerResponse) -> InputItem {
    let name = item["role"]?.stringValue ?? ""
    guard name != "system" else { throw .detail("System messages are not allowed") }
    guard let role = Role(rawValue: name) else { throw .detail("Invalid value: '\(name)' is no role") }
    let content = try MessageContent(checking: item["content"], role)
    return InputItem(content: .message(role, text: content.text, images: content.images), bytes: content.bytes)
  }

  private static func reasoning(_ item: ChappieJSONValue) throws(HTTPServerResponse) -> InputItem {
    guard item["summary"]?.arrayValue != nil else { throw missing("summary") }
    // Without encrypted content there is nothing to check.
    guard let content = item["encrypted_content"], content != .null else { return InputItem(content: .other, bytes: 0) }
    guard let sealed = content.stringValue, EncryptedContent.open(sealed, .reasoning) != nil else { throw unverified }
    return InputItem(content: .other, bytes: sealed.utf8.count)
  }

  private static func call(_ item: ChappieJSONValue, payload: String) throws(HTTPServerResponse) -> InputItem {
    let (id, name, payload) = (try text(item, "call_id"), try text(item, "name"), try text(item, payload))
    return InputItem(content: .call(id: id, name: name), bytes: name.utf8.count + payload.utf8.count)
  }

  private static func output(_ item: ChappieJSONValue) throws(HTTPServerResponse) -> InputItem {
    let id = try text(item, "call_id")
    guard let output = item["output"] else { throw missing("output") }
    let content = try MessageContent(checking: output, .user)
    return InputItem(content: .output(id: id, text: content.text), bytes: content.bytes)
  }

  // MARK: Members

  private static func text(_ item: ChappieJSONValue, _ key: String) throws(HTTPServerResponse) -> String {
    guard let text = item[key]?.stringValue else { throw missing(key) }
    return text
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
  enum Kind: String {
    case reasoning
    case compaction
  }

  /// Makes a content that holds a number for the stand-in.
  static func seal(_ kind: Kind, _ number: Int) -> String {
    let text = "sealed.\(kind.rawValue).\(number).\(RandomText.hex(bytes: 16))"
    return "\(text).\(check(text))"
  }

  /// The number in a content; nil if it was changed, or not made by the stand-in.
  static func open(_ content: String, _ kind: Kind) -> Int? {
    let parts = content.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[1] == kind.rawValue, parts[4] == check(parts[..<4].joined(separator: ".")) else {
      return nil
    }
    return Int(parts[2])
  }

  private static func check(_ text: String) -> String {
    SHA256.digest(of: Array("chappie-sandbox \(text)".utf8)).prefix(8).map { String($0, radix: 16) }.joined()
  }
}
