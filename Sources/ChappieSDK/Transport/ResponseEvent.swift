import FoundationEssentials

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
    guard let event = try? JSONDecoder().decode(WireEvent.self, from: Data(bytes)) else { return .other }
    switch event.type {
    case "response.output_item.done":
      return event.item?.messageText.map { .messageDone($0) } ?? .other
    case "response.completed":
      guard let response = event.response, let id = response.id else { return .other }
      return .completed(id: id, usage: response.usage?.tokens ?? ChappieTokenUsage())
    case "response.failed":
      let error = event.response?.error
      return .failed(
        code: error?.code, message: error?.message, plan: error?.planType, resetsAt: error?.resetTime)
    default:
      return .incomplete(reason: event.response?.incompleteDetails?.reason)
    }
  }
}

/// The fields that are read of the events that are decoded whole.
private struct WireEvent: Decodable {
  let type: String
  let item: Item?
  let response: Response?

  struct Item: Decodable {
    let type: String?
    let content: [Content]?

    var messageText: String? {
      guard type == "message" else { return nil }
      return content?.filter { $0.type == "output_text" }.compactMap(\.text).joined()
    }
  }

  struct Content: Decodable {
    let type: String?
    let text: String?
  }

  struct Response: Decodable {
    let id: String?
    let usage: Usage?
    let error: WireError?
    let incompleteDetails: IncompleteDetails?

    enum CodingKeys: String, CodingKey {
      case id, usage, error
      case incompleteDetails = "incomplete_details"
    }
  }

  struct IncompleteDetails: Decodable {
    let reason: String?
  }

  struct Usage: Decodable {
    let inputTokens: Int?
    let inputDetails: Details?
    let outputTokens: Int?
    let outputDetails: Details?

    enum CodingKeys: String, CodingKey {
      case inputTokens = "input_tokens"
      case inputDetails = "input_tokens_details"
      case outputTokens = "output_tokens"
      case outputDetails = "output_tokens_details"
    }

    struct Details: Decodable {
      let cachedTokens: Int?
      let reasoningTokens: Int?

      enum CodingKeys: String, CodingKey {
        case cachedTokens = "cached_tokens"
        case reasoningTokens = "reasoning_tokens"
      }
    }

    var tokens: ChappieTokenUsage {
      ChappieTokenUsage(
        inputTokens: inputTokens ?? 0, cachedInputTokens: inputDetails?.cachedTokens ?? 0,
        outputTokens: outputTokens ?? 0, reasoningTokens: outputDetails?.reasoningTokens ?? 0)
    }
  }
}

/// What an error says, in an event or in the body of an HTTP answer.
struct WireError: Decodable {
  let code: String?
  let type: String?
  let message: String?
  let planType: String?
  private let resetsAt: Double?

  /// Unix seconds; nil also for a number that is no time.
  var resetTime: Int64? { resetsAt.flatMap { Int64(exactly: $0.rounded()) } }

  enum CodingKeys: String, CodingKey {
    case code, type, message
    case planType = "plan_type"
    case resetsAt = "resets_at"
  }
}
