import ChappieSDK

/// The parameters that the public API does not take with a plan.
enum PublicAPICapabilities {
  private static let parameters = [
    "background", "conversation", "max_output_tokens", "max_tool_calls", "metadata", "moderation", "multi_agent",
    "previous_response_id", "prompt", "prompt_cache_breakpoint", "prompt_cache_options", "prompt_cache_retention",
    "safety_identifier", "temperature", "top_logprobs", "top_p", "truncation", "user",
  ]

  /// Tools that run on the server, apart from the search of the web.
  private static let tools: Set = [
    "image_generation", "file_search", "code_interpreter", "computer_use", "computer_use_preview", "mcp",
    "tool_search", "programmatic_tool_calling", "local_shell",
  ]

  /// The parameter of a request that is not supported; nil if all are.
  static func unsupported(in body: ChappieJSONValue) -> String? {
    if let name = parameters.first(where: { body[$0] != nil }) { return name }
    if body["store"]?.boolValue != false { return "store" }
    if body["stream"]?.boolValue != true { return "stream" }
    guard let input = body["input"]?.arrayValue else { return "input" }
    if input.contains(where: { $0["role"]?.stringValue == "system" || hasUnsupportedPart($0["content"]) }) {
      return "input"
    }
    if body["service_tier"]?.stringValue == "flex" { return "service_tier" }
    let declared = [body["tools"]] + input.map { $0["tools"] }
    let isUnsupported = declared.contains { list in
      list?.arrayValue?.contains { tools.contains($0["type"]?.stringValue ?? "") } == true
    }
    return isUnsupported ? "tools" : nil
  }

  /// Whether a content has sound or film, or a file that is not in the request itself.
  private static func hasUnsupportedPart(_ content: ChappieJSONValue?) -> Bool {
    content?.arrayValue?.contains { part in
      ["input_audio", "input_video"].contains(part["type"]?.stringValue) || part["file_id"] != nil
        || part["file_url"] != nil
    } == true
  }
}
