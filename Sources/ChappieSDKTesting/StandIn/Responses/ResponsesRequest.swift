import ChappieSDK
import GLibBridge

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
  /// Whether the model may call several tools in parallel.
  let callsInParallel: Bool
  /// Whether the answer starts with encrypted reasoning.
  let wantsReasoning: Bool
  /// The schema of an answer that is JSON; nil for any answer.
  let outputSchema: ChappieJSONValue?
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
  ) throws(InvalidRequest) {
    guard body.objectValue != nil else { throw InvalidRequest(detail: "The request body is not a JSON object") }
    // Newer clients send the instructions in a developer message.
    let instructions = body["instructions"] ?? .null
    guard instructions == .null || instructions.stringValue?.isEmpty == false else {
      throw InvalidRequest(detail: "Instructions are required")
    }
    guard let input = body["input"]?.arrayValue else { throw InvalidRequest(detail: "Input must be a list") }
    guard !input.contains(where: { $0["role"]?.stringValue == "system" }) else {
      throw InvalidRequest(detail: "System messages are not allowed")
    }
    try Self.checkParameters(body, transport)
    let slug = body["model"]?.stringValue ?? ""
    guard let model = models[slug] else {
      throw InvalidRequest(detail: "The '\(slug)' model is not supported when using Codex with a ChatGPT account.")
    }
    // Reports disagree about whether a client without a version is refused. The stand-in accepts it.
    if let client = headers["version"].flatMap(ClientVersion.init), let minimum = model.minimumClient, client < minimum
    {
      throw InvalidRequest(
        detail: "The '\(slug)' model requires a newer version of Codex. "
          + "Please upgrade to the latest app or CLI and try again.")
    }
    let declared = try ToolList(checking: body["tools"])
    var conversation = earlier
    try conversation.append(checking: input)
    guard model.takesImages || !conversation.hasImages else {
      throw InvalidRequest(detail: "The '\(slug)' model does not take images")
    }
    let options = try RequestOptions(checking: body, model)

    self.model = model
    self.conversation = conversation
    tools = options.callsTools ? declared.names.union(conversation.declaredTools) : []
    callsInParallel = options.callsInParallel
    wantsReasoning = options.wantsReasoning
    outputSchema = options.outputSchema
    isLite = LiteForm.isLite(body, headers, transport)
    inputTokens = ((instructions.stringValue ?? "").utf8.count + declared.bytes + conversation.bytes + 3) / 4
  }

  var fitsContextWindow: Bool { inputTokens <= model.contextWindow }

  private static func checkParameters(_ body: ChappieJSONValue, _ transport: Transport) throws(InvalidRequest) {
    guard body["store"]?.boolValue == false else { throw InvalidRequest(detail: "Store must be set to false") }
    // A WebSocket always streams.
    let streams = body["stream"] ?? (transport == .webSocket ? true : .null)
    guard streams == true else { throw InvalidRequest(detail: "Stream must be set to true") }
    var unsupported = ["temperature", "top_p", "max_output_tokens", "max_completion_tokens"]
    if transport == .http { unsupported += ["previous_response_id", "generate"] }
    if let name = unsupported.first(where: { body[$0] != nil }) {
      throw InvalidRequest(detail: "Unsupported parameter: \(name)")
    }
  }
}
