import ChappieSDK
import GLibBridge
import HTTPTestServer

/// The lite form of a request. Models with `use_responses_lite` ask for it.
///
/// Reports disagree about whether the live backend still accepts the plain form for these models. The stand-in accepts
/// it, unless a rule says otherwise.
enum LiteForm {
  private static let header = "x-openai-internal-codex-responses-lite"

  /// Whether a request has the lite form. In this form the tools are an item of the input.
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

  /// The refusal of the plain form by a rule; nil if the request is accepted.
  static func refusal(_ request: ResponsesRequest, _ change: StandInRule.Change?) -> HTTPServerResponse? {
    guard change?.requiresLite == true, request.model.wantsLite, !request.isLite else { return nil }
    return .detail("Model not found \(request.model.slug)", status: 404)
  }
}
