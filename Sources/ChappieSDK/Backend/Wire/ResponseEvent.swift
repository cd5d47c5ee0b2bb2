// SPDX-License-Identifier: Apache-2.0
import Platform
import SecretMemory

/// One event of an answer's stream, reduced to the fields that this client uses.
enum ResponseEvent: Equatable, Sendable {
  /// The answer with this id begins.
  case created(id: String)
  case textDelta(String)
  /// A piece of the text in which the model refuses to answer.
  case refusalDelta(String)
  /// A search of the web begins. Its item tells later what it was for.
  case searching
  /// The answer names a source, in the form of the finished message.
  case annotation(ChappieJSONValue)
  /// An item of the answer is complete. This form replaces its deltas.
  case itemDone(ChappieJSONValue)
  /// The routing token that further requests of this turn send back.
  case turnState(String)
  /// The plan's usage.
  case rateLimits(ChappieUsageLimitSnapshot)
  case completed(id: String, usage: ChappieTokenUsage)
  case failed(WireError)
  case incomplete(reason: String?)
  /// A refusal: the body of an HTTP response, and its status if the backend names one.
  case refused(status: Int?, retryAfter: String?, usage: ChappieUsageLimitSnapshot, body: ChappieJSONValue)
  /// An event of an answer other than the current one.
  case foreign
  /// An event that is unknown, irrelevant or not JSON.
  case other

  /// Decodes the data of one event.
  ///
  /// - Parameter answerID: the id of the current answer, if known.
  static func decode(_ json: borrowing Span<UInt8>, of answerID: String? = nil) -> ResponseEvent {
    var type = JSONScanner.Member(name: "type")
    var delta = JSONScanner.Member(name: "delta")
    var responseID = JSONScanner.Member(name: "response_id")
    var hasError = false
    let isObject = JSONScanner.members(of: json) { key, value in
      type.take(key, value, json)
      delta.take(key, value, json)
      responseID.take(key, value, json)
      if json.equals(key, "error") { hasError = true }
    }
    guard isObject, !type.isRepeated, !delta.isRepeated, !responseID.isRepeated else { return .other }
    guard let type = type.value.flatMap({ JSONScanner.stringContent(json, $0) }) else {
      return hasError ? decodeWhole(json, of: answerID) : .other
    }
    if let answerID, let id = responseID.value.flatMap({ JSONScanner.stringContent(json, $0) }),
      JSONText.decode(json, id) != answerID
    {
      return .foreign
    }
    let isRefusal = json.equals(type, "response.refusal.delta")
    if isRefusal || json.equals(type, "response.output_text.delta") {
      guard let content = delta.value.flatMap({ JSONScanner.stringContent(json, $0) }) else { return .other }
      let text = JSONText.decode(json, content)
      return isRefusal ? .refusalDelta(text) : .textDelta(text)
    }
    return typesOfInterest.contains { json.equals(type, $0) } ? decodeWhole(json, of: answerID) : .other
  }

  private static let typesOfInterest: [StaticString] = [
    "response.created", "response.output_item.done", "response.completed", "response.failed", "response.incomplete",
    "response.metadata", "response.web_search_call.searching", "response.output_text.annotation.added",
    "codex.rate_limits", "error",
  ]

  private static func decodeWhole(_ json: borrowing Span<UInt8>, of answerID: String?) -> ResponseEvent {
    guard let event = try? ChappieJSONValue(parsing: json) else { return .other }
    let response = event["response"]
    if let answerID, let id = response?["id"]?.stringValue, id != answerID { return .foreign }
    switch event["type"]?.stringValue {
    case "response.created":
      return response?["id"]?.stringValue.map { .created(id: $0) } ?? .other
    case "response.output_item.done":
      guard let item = event["item"], item["type"]?.stringValue != nil else { return .other }
      return .itemDone(item)
    case "response.completed":
      guard let id = response?["id"]?.stringValue else { return .other }
      return .completed(id: id, usage: ChappieTokenUsage(response?["usage"] ?? .null))
    case "response.web_search_call.searching":
      return .searching
    case "response.output_text.annotation.added":
      // Only in the first part of a message the indices count from its beginning.
      guard let annotation = event["annotation"], event["content_index"]?.number(in: 0...0) != nil else {
        return .other
      }
      return .annotation(annotation)
    case "response.failed":
      return .failed(WireError(response?["error"] ?? .null))
    case "response.metadata":
      return event["headers"]?["x-codex-turn-state"]?.stringValue.map { .turnState($0) } ?? .other
    case "codex.rate_limits":
      return ChappieUsageLimitSnapshot(event: event).map { .rateLimits($0) } ?? .other
    case "error":
      return refusal(event)
    case nil:
      return event["error"]?.objectValue == nil ? .other : refusal(event)
    default:
      return .incomplete(reason: response?["incomplete_details"]?["reason"]?.stringValue)
    }
  }

  private static func refusal(_ event: ChappieJSONValue) -> ResponseEvent {
    let status = (event["status"] ?? event["status_code"])?.number(in: 0...999)
    let headers = event["headers"] ?? .null
    return .refused(
      status: status, retryAfter: headers["retry-after"]?.stringValue,
      usage: ChappieUsageLimitSnapshot(headers: headers), body: event)
  }
}

extension ChappieTokenUsage {
  /// A missing or impossible count is zero.
  fileprivate init(_ usage: ChappieJSONValue) {
    func count(_ value: ChappieJSONValue?) -> Int { value?.count?.value ?? 0 }
    self.init(
      inputTokens: count(usage["input_tokens"]),
      cachedInputTokens: count(usage["input_tokens_details"]?["cached_tokens"]),
      outputTokens: count(usage["output_tokens"]),
      reasoningTokens: count(usage["output_tokens_details"]?["reasoning_tokens"]))
  }
}
