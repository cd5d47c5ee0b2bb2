// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

/// The public API, for sign-ins in the browser whose users have allowed plan use.
@GLibActor
struct PublicAPI {
  let issuer: BrowserIssuer
  let backend: BackendState

  /// An answer with the id that each answer has, a rule's own too.
  static func identified(_ answer: HTTPServerAnswer) -> HTTPServerAnswer {
    let id = (name: "x-request-id", value: "req_" + RandomText.hex(bytes: 16))
    switch answer {
    case .whole(var response):
      response.headers.append(id)
      return .whole(response)
    case .stream(var head, let body):
      head.headers.append(id)
      return .stream(head, body)
    case .drop, .webSocket: return answer
    }
  }

  /// The answer to a path or method that does not take plan use.
  static let otherRoute = refusal("subscription_sharing_route_not_supported")

  /// A refusal that the live server documents.
  ///
  /// - Parameter param: the parameter to which it applies.
  private static func refusal(_ name: String, param: String? = nil) -> HTTPServerResponse {
    NamedRefusal.named(name, at: .apiResponses)?.response(param: param) ?? malformed(name)
  }

  private static func malformed(_ message: String) -> HTTPServerResponse {
    .error(400, "invalid_request_error", message)
  }

  // MARK: Models

  private static let modelMembers: Set = [
    "slug", "display_name", "description", "visibility", "context_window", "input_modalities",
    "supported_reasoning_levels", "default_reasoning_level",
  ]

  /// The version whose models a client sees that names no version.
  private static let unnamedVersion = ClientVersion("0.155.0")

  /// `GET /v1/models`: the models, in the order of the server, with fewer members than the Codex backend sends.
  func listModels(_ request: HTTPServerRequest) throws(HTTPServerResponse) -> HTTPServerResponse {
    _ = try signIn(of: request, "GET")
    guard let version = request.query["client_version"].map(ClientVersion.init) ?? Self.unnamedVersion else {
      throw Self.malformed("client_version is not a version.")
    }
    let members = Self.modelMembers
    let entries = backend.models.json(for: version)["models"]?.arrayValue ?? []
    return .json([
      "models": .array(entries.map { .object(($0.objectValue ?? [:]).filter { members.contains($0.key) }) })
    ])
  }

  /// The sign-in of a request with a method; its user must have allowed plan use.
  private func signIn(of request: HTTPServerRequest, _ method: String) throws(HTTPServerResponse) -> TokenStore.SignIn {
    guard request.method == method else { throw Self.otherRoute }
    guard let signIn = issuer.tokens.signIn(of: request.headers) else { throw Self.refusal("invalid_token") }
    guard signIn.allowsPlanUse else { throw Self.refusal("chatpass_v2_scope_not_authorized") }
    return signIn
  }

  // MARK: Answers

  /// `POST /v1/responses`. Rules with a fixed answer apply before all checks, all other rules after them.
  func respond(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    backend.noteTurn(
      request.headers, request.body, over: .http, turnState: request.headers["x-codex-turn-state"])
    let fixed = backend.take(.apiResponses, where: \.hasOwnStatus)
    if let answer = try await fixed?.replacement(backend.releases) { return answer }
    let signIn = try signIn(of: request, "POST")
    if let refusal = issuer.registrations[signIn.clientID]?.planUse.refusal { throw Self.refusal(refusal) }
    let accepted = try check(ChappieJSONValue(body: request.content(zstd: false)), request)
    let rule = backend.take(.apiResponses) ?? StandInRule()
    if let answer = try await rule.replacement(backend.releases) { return answer }
    try accepted.checkItems(rule)
    // The event that ends an answer has no output here, so a client must put it together from the earlier events.
    let answer = ResponsesAnswer(to: accepted, rule, repeatsOutput: false)
    return backend.stream(answer, rule, rule.headers)
  }

  private func check(
    _ body: ChappieJSONValue, _ request: HTTPServerRequest
  ) throws(HTTPServerResponse) -> ResponsesRequest {
    let unsupported = PlanCapabilities.unsupported(in: body)
    let lacksModel = backend.models[body["model"]?.stringValue ?? ""] == nil
    if body.objectValue != nil, let param = unsupported ?? (lacksModel ? "model" : nil) {
      throw Self.refusal("subscription_sharing_unsupported_capability", param: param)
    }
    do throws(HTTPServerResponse) {
      return try ResponsesRequest(checking: body, request.headers, over: .http, models: backend.models)
    } catch {
      throw ChappieJSONValue(body: error.body)["detail"]?.stringValue.map(Self.malformed) ?? error
    }
  }
}

/// The parameters that the public API does not take with a plan.
private enum PlanCapabilities {
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
