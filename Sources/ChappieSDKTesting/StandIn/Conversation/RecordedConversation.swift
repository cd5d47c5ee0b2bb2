// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import HTTPTestServer

/// The input of a request, together with the conversation that the request continues.
struct RecordedConversation {
  private(set) var items: [InputItem] = []

  /// Checks the input of a request, and appends it.
  ///
  /// - Parameter input: the list `input` of the request.
  mutating func append(checking input: [ChappieJSONValue]) throws(HTTPServerResponse) {
    for item in input { items.append(try InputItem(checking: item)) }
    guard !items.dropLast().contains(where: \.isCompactionTrigger) else {
      throw .detail("A compaction_trigger must be the last item of input")
    }
    try checkCalls()
  }

  /// The conversation that a following request continues: all items, or the compaction that replaces them.
  func continued(with output: [ChappieJSONValue]) -> RecordedConversation {
    var next = asksForCompaction ? RecordedConversation() : self
    // Not checked: the outputs of calls come in the next request.
    next.items += output.compactMap { try? InputItem(checking: $0) }
    return next
  }

  /// Checks that each output follows its call, and that each call has an output.
  private func checkCalls() throws(HTTPServerResponse) {
    var open: [String] = []
    for item in items {
      switch item.content {
      case .call(let id, _): open.append(id)
      case .output(let id, _):
        guard let index = open.firstIndex(of: id) else {
          throw .detail("No tool call found for function call output with call_id \(id).")
        }
        open.remove(at: index)
      default: break
      }
    }
    if let id = open.first { throw .detail("No tool output found for function call \(id).") }
  }

  // MARK: Content

  private var messages: [(role: InputItem.Role, content: MessageContent)] {
    items.compactMap { item in
      if case .message(let role, let content) = item.content { (role, content) } else { nil }
    }
  }

  /// The content of the user's last message; an empty text if there is no such message.
  var lastUserMessage: MessageContent { messages.last { $0.role == .user }?.content ?? MessageContent() }

  /// The number of messages from the user and the model.
  var messageCount: Int { messages.count { $0.role != .developer } }

  var hasImages: Bool { messages.contains { $0.content.images > 0 } }
  var hasFiles: Bool { messages.contains { !$0.content.files.isEmpty } }

  /// Whether the last message is from the user.
  var endsWithUser: Bool {
    for item in items.reversed() {
      switch item.content {
      case .message(.user, _): return true
      case .message(.developer, _), .tools, .other: continue
      default: return false
      }
    }
    return false
  }

  /// The number of messages that compactions replace.
  var compactedCount: Int {
    items.reduce(0) { sum, item in
      if case .compaction(let messages) = item.content { sum + messages } else { sum }
    }
  }

  var asksForCompaction: Bool { items.last?.isCompactionTrigger == true }

  /// The tool outputs at the end of the conversation, with the names of the tools.
  var lastOutputs: [(name: String, text: String)] {
    var names: [String: String] = [:]
    var outputs: [(id: String, text: String)] = []
    for item in items {
      switch item.content {
      case .call(let id, let name):
        names[id] = name
        outputs = []
      case .output(let id, let text): outputs.append((id, text))
      case .message(.developer, _), .other: break
      default: outputs = []
      }
    }
    return outputs.map { (names[$0.id] ?? "", $0.text) }
  }

  /// The tools that items of the conversation declare.
  var declaredTools: Set<String> {
    items.reduce(into: []) { names, item in
      if case .tools(let more) = item.content { names.formUnion(more) }
    }
  }

  /// The size of the conversation in the context window, in bytes.
  var bytes: Int { items.reduce(0) { $0 + $1.bytes } }
}
