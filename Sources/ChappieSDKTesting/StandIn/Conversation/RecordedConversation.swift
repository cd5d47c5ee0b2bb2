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
    let triggers = items.indices.filter {
      if case .compactionTrigger = items[$0].content { true } else { false }
    }
    guard triggers.allSatisfy({ $0 == items.endIndex - 1 }) else {
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

  private var messages: [(role: InputItem.Role, text: String, images: Int)] {
    items.compactMap { item in
      if case .message(let role, let text, let images) = item.content { (role, text, images) } else { nil }
    }
  }

  /// The text and the number of images of the user's last message; empty text and 0 if there is no such message.
  var lastUserMessage: (text: String, images: Int) {
    messages.last { $0.role == .user }.map { ($0.text, $0.images) } ?? ("", 0)
  }

  /// The number of messages from the user and the model.
  var messageCount: Int { messages.count { $0.role != .developer } }

  var hasImages: Bool { messages.contains { $0.images > 0 } }

  /// Whether the last message is from the user.
  var endsWithUser: Bool {
    for item in items.reversed() {
      switch item.content {
      case .message(.user, _, _): return true
      case .message(.developer, _, _), .tools, .other: continue
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

  var asksForCompaction: Bool {
    if case .compactionTrigger? = items.last?.content { true } else { false }
  }

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
      case .message(.developer, _, _), .other: break
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
