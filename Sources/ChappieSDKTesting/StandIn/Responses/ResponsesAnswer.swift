import ChappieSDK
import FoundationEssentials

/// The events of one answer, in the order of the live server.
struct ResponsesAnswer {
  enum Content {
    case items([OutputItem])
    /// The model failed.
    case failure(code: String, message: String)
  }

  let id = "resp_" + RandomText.hex(bytes: 16)
  let items: [OutputItem]
  private let failure: (code: String, message: String)?
  private let model: String
  private let inputTokens: Int
  private let createdAt = Int(Date().timeIntervalSince1970)
  private let steps: [Step]

  init(_ content: Content, model: String, inputTokens: Int) {
    self.model = model
    self.inputTokens = inputTokens
    switch content {
    case .items(let items):
      self.items = items
      failure = nil
    case .failure(let code, let message):
      items = []
      failure = (code, message)
    }
    let middle = items.enumerated().flatMap { Step.all(of: $1, at: $0) }
    steps = [.created, .inProgress] + middle + [failure == nil ? .completed : .failed]
  }

  /// Whether the answer succeeds.
  var succeeds: Bool { failure == nil }

  /// The items that the conversation continues with.
  var output: [ChappieJSONValue] { items.map(\.finished) }

  /// The number of events.
  var count: Int { steps.count }

  /// The event at a position, from 0 up to ``count``.
  func event(at index: Int) -> ChappieJSONValue {
    let (type, members) = content(of: steps[index])
    return .object(members.merging(["type": .string(type), "sequence_number": ChappieJSONValue(index)]) { $1 })
  }

  // MARK: Events

  /// A description of an event. The event itself is made right before it is sent, because a long answer has one event
  /// for each word.
  private enum Step {
    case created
    case inProgress
    case added(Int)
    case partAdded(Int)
    case delta(Int, Substring)
    case whole(Int)
    case partDone(Int)
    case done(Int)
    case completed
    case failed

    static func all(of item: OutputItem, at index: Int) -> [Step] {
      let deltas = item.pieces.map { Step.delta(index, $0) }
      return switch item.content {
      case .message: [.added(index), .partAdded(index)] + deltas + [.whole(index), .partDone(index), .done(index)]
      case .call: [.added(index)] + deltas + [.whole(index), .done(index)]
      case .reasoning, .compaction: [.added(index), .done(index)]
      }
    }
  }

  private func content(of step: Step) -> (type: String, members: [String: ChappieJSONValue]) {
    switch step {
    case .created: ("response.created", ["response": response("in_progress")])
    case .inProgress: ("response.in_progress", ["response": response("in_progress")])
    case .added(let index):
      ("response.output_item.added", ["output_index": ChappieJSONValue(index), "item": items[index].started])
    case .partAdded(let index): ("response.content_part.added", place(index, with: "part", OutputItem.part("")))
    case .delta(let index, let piece):
      (Self.kind(items[index]) + ".delta", place(index, with: "delta", .string(String(piece))))
    case .whole(let index):
      (
        Self.kind(items[index]) + ".done",
        place(index, with: Self.whole(items[index]).key, Self.whole(items[index]).value)
      )
    case .partDone(let index):
      (
        "response.content_part.done",
        place(index, with: "part", OutputItem.part(Self.whole(items[index]).value.stringValue ?? ""))
      )
    case .done(let index):
      ("response.output_item.done", ["output_index": ChappieJSONValue(index), "item": items[index].finished])
    case .completed: ("response.completed", ["response": response("completed")])
    case .failed: ("response.failed", ["response": response("failed")])
    }
  }

  private static func kind(_ item: OutputItem) -> String {
    guard case .call(let call) = item.content else { return "response.output_text" }
    return call.isCustom ? "response.custom_tool_call_input" : "response.function_call_arguments"
  }

  private static func whole(_ item: OutputItem) -> (key: String, value: ChappieJSONValue) {
    switch item.content {
    case .message(let text): ("text", .string(text))
    case .call(let call): (call.isCustom ? "input" : "arguments", .string(call.text))
    case .reasoning(let sealed), .compaction(let sealed): ("encrypted_content", .string(sealed))
    }
  }

  private func place(_ index: Int, with key: String, _ value: ChappieJSONValue) -> [String: ChappieJSONValue] {
    var members = ["item_id": .string(items[index].id), "output_index": ChappieJSONValue(index), key: value]
    if case .message = items[index].content { members["content_index"] = 0 }
    return members
  }

  private func response(_ status: String) -> ChappieJSONValue {
    let isComplete = status == "completed"
    let error: ChappieJSONValue =
      status == "failed"
      ? failure.map { ["code": .string($0.code), "message": .string($0.message)] } ?? .null : .null
    return [
      "id": .string(id), "object": "response", "created_at": ChappieJSONValue(createdAt), "status": .string(status),
      "model": .string(model), "output": isComplete ? .array(output) : [], "usage": isComplete ? usage : .null,
      "error": error,
    ]
  }

  private var usage: ChappieJSONValue {
    let outputTokens = items.reduce(0) { $0 + $1.pieces.count }
    return [
      "input_tokens": ChappieJSONValue(inputTokens), "input_tokens_details": ["cached_tokens": 0],
      "output_tokens": ChappieJSONValue(outputTokens), "output_tokens_details": ["reasoning_tokens": 0],
      "total_tokens": ChappieJSONValue(inputTokens + outputTokens),
    ]
  }
}
