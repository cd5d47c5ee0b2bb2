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
  let options: RequestOptions
  /// The size of the request in the context window, in tokens.
  let inputTokens: Int
  /// Whether the request has the lite form.
  let isLite: Bool

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
    guard body.objectValue != nil else { throw .detail("The request body is not a JSON object") }
    // Newer clients send the instructions in a developer message.
    let instructions = body["instructions"] ?? .null
    guard instructions == .null || instructions.stringValue?.isEmpty == false else {
      throw .detail("Instructions are required")
    }
    guard let input = body["input"]?.arrayValue else { throw .detail("Input must be a list") }
    guard !input.contains(where: { $0["role"]?.stringValue == "system" }) else {
      throw .detail("System messages are not allowed")
    }
    try Self.checkParameters(body, transport)
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
    var conversation = earlier
    try conversation.append(checking: input)
    guard model.takesImages || !conversation.hasImages else {
      throw .detail("The '\(slug)' model does not take images")
    }
    options = try RequestOptions(checking: body, model)
    self.model = model
    self.conversation = conversation
    tools = options.callsTools ? declared.names.union(conversation.declaredTools) : []
    isLite = Self.isLite(body, headers, transport)
    inputTokens = ((instructions.stringValue ?? "").utf8.count + declared.bytes + conversation.bytes + 3) / 4
  }

  var fitsContextWindow: Bool { inputTokens <= model.contextWindow }

  private static func checkParameters(_ body: ChappieJSONValue, _ transport: Transport) throws(HTTPServerResponse) {
    guard body["store"]?.boolValue == false else { throw .detail("Store must be set to false") }
    // A WebSocket always streams.
    let streams = body["stream"] ?? (transport == .webSocket ? true : .null)
    guard streams == true else { throw .detail("Stream must be set to true") }
    var unsupported = ["temperature", "top_p", "max_output_tokens", "max_completion_tokens"]
    if transport == .http { unsupported += ["previous_response_id", "generate"] }
    if let name = unsupported.first(where: { body[$0] != nil }) {
      throw .detail("Unsupported parameter: \(name)")
    }
  }

  // MARK: The lite form

  private static let liteHeader = "x-openai-internal-codex-responses-lite"

  /// Whether a request has the lite form, which models with `use_responses_lite` ask for. In this form the tools are an
  /// item of the input.
  ///
  /// Reports disagree about whether the live backend still accepts the plain form for these models. The stand-in accepts
  /// it, unless a rule says otherwise.
  private static func isLite(_ body: ChappieJSONValue, _ headers: HTTPHeaders, _ transport: Transport) -> Bool {
    let mark =
      switch transport {
      case .http: headers[liteHeader]
      case .webSocket:
        body["client_metadata"]?["ws_request_header_\(liteHeader.replacing("-", with: "_"))"]?.stringValue
      }
    return mark == "true" && (body["tools"] ?? .null) == .null && body["parallel_tool_calls"]?.boolValue == false
      && body["reasoning"]?["context"]?.stringValue == "all_turns"
  }

  /// Refuses the plain form of a request if a rule says so.
  func checkForm(_ change: StandInRule.Change?) throws(HTTPServerResponse) {
    guard change?.requiresLite == true, model.wantsLite, !isLite else { return }
    throw .detail("Model not found \(model.slug)", status: 404)
  }
}

/// The optional parameters of a request for an answer.
struct RequestOptions {
  let callsTools: Bool
  let callsInParallel: Bool
  let wantsReasoning: Bool
  /// The schema of an answer that is JSON; nil for any answer.
  let outputSchema: ChappieJSONValue?

  init(checking body: ChappieJSONValue, _ model: Model) throws(HTTPServerResponse) {
    let effort = try Self.choice(body, "reasoning", "effort", among: model.efforts)
    _ = try Self.choice(body, "reasoning", "summary", among: ["auto", "concise", "detailed", "none"])
    _ = try Self.choice(body, "text", "verbosity", among: ["low", "medium", "high"])
    outputSchema = try Self.outputSchema(body["text"]?["format"])
    if let tier = body["service_tier"], tier != .null {
      guard let id = tier.stringValue, (model.serviceTiers + ["auto", "default"]).contains(id) else {
        throw .detail("Unsupported service_tier: \(tier.stringValue ?? tier.json)")
      }
    }
    let include = body["include"]?.arrayValue ?? []
    wantsReasoning = include.contains("reasoning.encrypted_content") && effort != "none"
    callsTools = body["tool_choice"]?.stringValue != "none"
    callsInParallel =
      body["parallel_tool_calls"]?.boolValue != false && model.json["supports_parallel_tool_calls"]?.boolValue != false
  }

  private static func choice(
    _ body: ChappieJSONValue, _ group: String, _ key: String, among values: [String]
  ) throws(HTTPServerResponse) -> String? {
    guard let members = body[group], members != .null else { return nil }
    guard members.objectValue != nil else { throw .detail("Invalid type: '\(group)' must be an object") }
    guard let value = members[key], value != .null else { return nil }
    guard let text = value.stringValue, values.contains(text) else {
      throw .detail("Invalid value: '\(value.stringValue ?? value.json)' is no \(group).\(key)")
    }
    return text
  }

  private static func outputSchema(_ format: ChappieJSONValue?) throws(HTTPServerResponse) -> ChappieJSONValue? {
    guard let format, format != .null else { return nil }
    switch format["type"]?.stringValue {
    case "text", "json_object": return nil
    case "json_schema":
      guard let name = format["name"]?.stringValue, let schema = format["schema"], schema.objectValue != nil else {
        break
      }
      guard format["strict"] != true || schema["additionalProperties"] == false else {
        throw .detail(
          "Invalid schema for response_format '\(name)': In context=(), 'additionalProperties' is required to be "
            + "supplied and to be false.")
      }
      return schema
    default: break
    }
    throw .detail("Invalid value: 'text.format' is not understood")
  }
}
