// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

/// A request for an answer that has passed the checks of the live server.
struct ResponsesRequest {
  enum Transport: String {
    case http
    case webSocket = "websocket"
  }

  let model: Model
  let conversation: RecordedConversation
  /// The names of the tools that may be called.
  let tools: Set<String>
  let callsInParallel: Bool
  /// The tool with which the answer may search the web; nil if it may not.
  let searchTool: ChappieJSONValue?
  let wantsReasoning: Bool
  /// The schema of an answer that is JSON; nil for any answer.
  let outputSchema: ChappieJSONValue?
  /// The size of the request in the context window, in tokens.
  let inputTokens: Int
  /// Whether the request has the lite form.
  private let isLite: Bool
  /// The place of the first search of the web in the input; nil if there is none.
  private let searchItem: Int?

  /// Checks a request as the live server does, in the same order.
  ///
  /// - Parameters:
  ///   - headers: the header fields of the request, or of the handshake of its WebSocket.
  ///   - earlier: the conversation that the request continues.
  @GLibActor
  init(
    checking body: ChappieJSONValue, _ headers: HTTPHeaders, over transport: Transport,
    after earlier: RecordedConversation = RecordedConversation(), models: ModelCatalogue
  ) throws(HTTPServerResponse) {
    let instructions = body["instructions"] ?? .null
    let input = body["input"]?.arrayValue ?? []
    let ofHTTP = transport == .http ? ["previous_response_id", "generate"] : []
    let unsupported = (["temperature", "top_p", "max_output_tokens", "max_completion_tokens"] + ofHTTP).first {
      body[$0] != nil
    }
    let checks = [
      (body.objectValue != nil, "The request body is not a JSON object"),
      // Newer clients send the instructions in a developer message.
      (instructions == .null || instructions.stringValue?.isEmpty == false, "Instructions are required"),
      (body["input"]?.arrayValue != nil, "Input must be a list"),
      (!input.contains { $0["role"] == "system" }, "System messages are not allowed"),
      (body["store"] == false, "Store must be set to false"),
      // A WebSocket always streams.
      ((body["stream"] ?? .bool(transport == .webSocket)) == true, "Stream must be set to true"),
      (unsupported == nil, "Unsupported parameter: \(unsupported ?? "")"),
    ]
    if let fault = checks.first(where: { !$0.0 }) { throw .detail(fault.1) }
    let slug = body["model"]?.stringValue ?? ""
    guard let model = models[slug] else {
      throw .detail("The '\(slug)' model is not supported when using Codex with a ChatGPT account.")
    }
    // Reports disagree about whether a client without a version is refused. The stand-in accepts it.
    if let client = headers["version"].flatMap(ClientVersion.init), let minimum = model.minimumClient, client < minimum
    {
      throw .detail(
        "The '\(slug)' model requires a newer version of Codex. "
          + "Please upgrade to the latest app or CLI and try again.")
    }
    let declared = try ToolList(checking: body["tools"])
    let searchTool = try WebSearch.tool(in: body["tools"])
    guard searchTool == nil || !Self.hasLiteMark(body, headers, transport) else {
      let message =
        "X-OpenAI-Internal-Codex-Responses-Lite only supports function tools, custom tools, and client-executed tool "
        + "search."
      throw .error(400, "unsupported_value", message, param: "tools")
    }
    var conversation = earlier
    try conversation.append(checking: input)
    guard model.takesImages || !conversation.hasImages else {
      throw .detail("The '\(slug)' model does not take images")
    }
    try Self.checkOptions(body, model)
    self.model = model
    self.conversation = conversation
    tools = body["tool_choice"] == "none" ? [] : declared.names.union(conversation.declaredTools)
    self.searchTool = body["tool_choice"] == "none" ? nil : searchTool
    searchItem = input.firstIndex { $0["type"] == "web_search_call" }
    callsInParallel = body["parallel_tool_calls"] != false && model.json["supports_parallel_tool_calls"] != false
    wantsReasoning =
      body["include"]?.arrayValue?.contains("reasoning.encrypted_content") == true
      && body["reasoning"]?["effort"] != "none"
    outputSchema = try Self.outputSchema(body["text"]?["format"])
    isLite = Self.isLite(body, headers, transport)
    inputTokens = ((instructions.stringValue ?? "").utf8.count + declared.bytes + conversation.bytes + 3) / 4
  }

  var fitsContextWindow: Bool { inputTokens <= model.contextWindow }

  private static func checkOptions(_ body: ChappieJSONValue, _ model: Model) throws(HTTPServerResponse) {
    let choices = [
      ("reasoning", "effort", model.efforts), ("reasoning", "summary", ["auto", "concise", "detailed", "none"]),
      ("text", "verbosity", ["low", "medium", "high"]),
    ]
    for (group, key, values) in choices {
      let members = body[group] ?? .null
      guard members == .null || members.objectValue != nil else {
        throw .detail("Invalid type: '\(group)' must be an object")
      }
      let value = members[key] ?? .null
      guard value == .null || values.contains(where: { value.stringValue == $0 }) else {
        throw .detail("Invalid value: '\(value.stringValue ?? value.json)' is no \(group).\(key)")
      }
    }
    let tier = body["service_tier"] ?? .null
    guard tier == .null || (model.serviceTiers + ["auto", "default"]).contains(where: { tier.stringValue == $0 }) else {
      throw .detail("Unsupported service_tier: \(tier.stringValue ?? tier.json)")
    }
  }

  private static func outputSchema(_ format: ChappieJSONValue?) throws(HTTPServerResponse) -> ChappieJSONValue? {
    guard let format, format != .null, format["type"] != "text", format["type"] != "json_object" else { return nil }
    guard format["type"] == "json_schema", let name = format["name"]?.stringValue, let schema = format["schema"],
      schema.objectValue != nil
    else { throw .detail("Invalid value: 'text.format' is not understood") }
    guard format["strict"] != true || schema["additionalProperties"] == false else {
      throw .detail(
        "Invalid schema for response_format '\(name)': In context=(), 'additionalProperties' is required to be "
          + "supplied and to be false.")
    }
    return schema
  }

  // MARK: The lite form

  private static let liteHeader = "x-openai-internal-codex-responses-lite"

  /// Whether a request has the lite form, which models with `use_responses_lite` ask for. In this form the tools are an
  /// item of the input.
  ///
  /// Reports disagree about whether the live backend still accepts the plain form for these models. The stand-in accepts
  /// it, unless a rule says otherwise.
  private static func isLite(_ body: ChappieJSONValue, _ headers: HTTPHeaders, _ transport: Transport) -> Bool {
    hasLiteMark(body, headers, transport) && (body["tools"] ?? .null) == .null
      && body["parallel_tool_calls"] == false && body["reasoning"]?["context"] == "all_turns"
  }

  private static func hasLiteMark(_ body: ChappieJSONValue, _ headers: HTTPHeaders, _ transport: Transport) -> Bool {
    let member = "ws_request_header_\(liteHeader.replacing("-", with: "_"))"
    let mark = transport == .http ? headers[liteHeader] : body["client_metadata"]?[member]?.stringValue
    return mark == "true"
  }

  /// Refuses the plain form of a request if a rule says so.
  func checkForm(_ rule: StandInRule) throws(HTTPServerResponse) {
    guard rule.requiresLite, model.wantsLite, !isLite else { return }
    throw .detail("Model not found \(model.slug)", status: 404)
  }

  // MARK: Items

  /// Refuses searches of the web or files in the input if a rule says so.
  func checkItems(_ rule: StandInRule) throws(HTTPServerResponse) {
    if rule.refusesFiles, conversation.hasFiles {
      throw .error(400, "invalid_request_error", "Invalid value: 'input_file' is not accepted here", param: "input[0]")
    }
    guard rule.refusesSearchItems, let searchItem else { return }
    let message = "Invalid value: 'web_search_call' is not accepted in input"
    throw .error(400, "invalid_request_error", message, param: "input[\(searchItem)]")
  }
}
