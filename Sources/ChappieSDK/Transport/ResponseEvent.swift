import GLibBridge

/// One event of an answer's stream, as far as it matters here.
enum ResponseEvent: Equatable {
  case textDelta(String)
  /// A message is complete; this is its authoritative text.
  case messageDone(String)
  case completed(id: String, usage: ChappieTokenUsage)
  case failed(code: String?, message: String?, plan: String?, resetsAt: Int64?)
  case incomplete(reason: String?)
  /// Unknown, of no interest, or no JSON.
  case other

  /// Decodes the data of one event.
  static func decode(_ json: borrowing Span<UInt8>) -> ResponseEvent {
    var type: Range<Int>?
    var delta: Range<Int>?
    let isObject = JSONScanner.members(of: json) { key, value in
      if JSONScanner.equals(json, key, "type") { type = value }
      if JSONScanner.equals(json, key, "delta") { delta = value }
    }
    guard isObject, let type = type.flatMap({ JSONScanner.stringContent(json, $0) }) else { return .other }
    if JSONScanner.equals(json, type, "response.output_text.delta") {
      return delta.flatMap { JSONScanner.stringContent(json, $0) }.map { .textDelta(JSONText.decode(json, $0)) }
        ?? .other
    }
    return isOfInterest(json, type) ? decodeWhole(json) : .other
  }

  private static func isOfInterest(_ json: borrowing Span<UInt8>, _ type: Range<Int>) -> Bool {
    JSONScanner.equals(json, type, "response.output_item.done")
      || JSONScanner.equals(json, type, "response.completed")
      || JSONScanner.equals(json, type, "response.failed")
      || JSONScanner.equals(json, type, "response.incomplete")
  }

  private static func decodeWhole(_ json: borrowing Span<UInt8>) -> ResponseEvent {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.count)
    for index in json.indices { bytes.append(json[index]) }
    guard let event = try? JSON(parsing: bytes) else { return .other }
    let response = event["response"]
    switch event["type"]?.string {
    case "response.output_item.done":
      return messageText(event["item"]).map { .messageDone($0) } ?? .other
    case "response.completed":
      guard let id = response?["id"]?.string else { return .other }
      return .completed(id: id, usage: ChappieTokenUsage(response?["usage"] ?? .null))
    case "response.failed":
      let error = WireError(response?["error"] ?? .null)
      return .failed(code: error.code, message: error.message, plan: error.plan, resetsAt: error.resetsAt)
    default:
      return .incomplete(reason: response?["incomplete_details"]?["reason"]?.string)
    }
  }

  /// The text of a message; nil for an item that is none.
  private static func messageText(_ item: JSON?) -> String? {
    guard let item, item["type"]?.string == "message" else { return nil }
    return (item["content"]?.elements ?? []).filter { $0["type"]?.string == "output_text" }
      .compactMap { $0["text"]?.string }.joined()
  }
}

extension ChappieTokenUsage {
  /// What is missing counts as zero.
  fileprivate init(_ usage: JSON) {
    func count(_ value: JSON?) -> Int { value?.integer.map { Int(clamping: $0) } ?? 0 }
    self.init(
      inputTokens: count(usage["input_tokens"]),
      cachedInputTokens: count(usage["input_tokens_details"]?["cached_tokens"]),
      outputTokens: count(usage["output_tokens"]),
      reasoningTokens: count(usage["output_tokens_details"]?["reasoning_tokens"]))
  }
}

/// What an error says, in an event or in the body of an HTTP answer.
struct WireError {
  let code: String?
  let type: String?
  let message: String?
  let plan: String?
  /// Unix seconds in UTC.
  let resetsAt: Int64?

  init(_ error: JSON) {
    code = error["code"]?.string
    type = error["type"]?.string
    message = error["message"]?.string
    plan = error["plan_type"]?.string
    resetsAt = error["resets_at"]?.integer
  }
}
