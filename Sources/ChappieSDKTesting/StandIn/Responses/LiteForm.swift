import ChappieSDK
import GLibBridge
import HTTPTestServer

/// The form of a request that models with `use_responses_lite` ask for, as in section 3.2 of the protocol.
///
/// Reports of whether the live backend still takes the plain form from them do not agree: it is taken here, unless a
/// rule says otherwise.
enum LiteForm {
  private static let header = "x-openai-internal-codex-responses-lite"

  /// Whether a request has the form. Its tools, where it has any, are an item of the input.
  static func isLite(_ body: ChappieJSONValue, _ headers: HTTPHeaders, _ transport: ResponsesRequest.Transport) -> Bool
  {
    let mark =
      switch transport {
      case .http: headers[header]
      case .webSocket:
        body["client_metadata"]?["ws_request_header_\(header.replacing("-", with: "_"))"]?.stringValue
      }
    return mark == "true" && (body["tools"] ?? .null) == .null && body["parallel_tool_calls"]?.boolValue == false
      && body["reasoning"]?["context"]?.stringValue == "all_turns"
  }

  /// The refusal that a rule asks for; nil when the request may be answered.
  static func refusal(_ request: ResponsesRequest, _ change: StandInRule.Change?) -> HTTPServerResponse? {
    guard change?.requiresLite == true, request.model.wantsLite, !request.isLite else { return nil }
    return .detail("Model not found \(request.model.slug)", status: 404)
  }
}
