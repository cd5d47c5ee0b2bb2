// SPDX-License-Identifier: Apache-2.0

/// A stand-in, and a signed-in client that speaks the protocol without the SDK.
@GLibActor
final class Wire {
  struct Response {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: ChappieJSONValue { (try? ChappieJSONValue(parsing: body.span)) ?? .null }
    var detail: String? { json["detail"]?.stringValue }
    /// The status and the code or text of a refusal, in any of the forms of the servers.
    var refusal: String {
      let places = [json["error"], json["error", "code"], json["detail"], json["detail", "error_code"]]
      return "\(status) \(places.lazy.compactMap { $0?.stringValue }.first ?? "")"
    }

    /// The events of a stream.
    var events: [ChappieJSONValue] {
      text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.compactMap {
        try? ChappieJSONValue(json: String($0.dropFirst(6)))
      }
    }
  }

  static let patience = Duration.seconds(20)

  let backend: StandInBackend
  private let http = HTTPSession()
  private var token = ""

  init(_ change: (inout StandInConfiguration) -> Void = { _ in }) async throws {
    var configuration = StandInConfiguration()
    configuration.wordsPerSecond = 0
    configuration.approvesAtOnce = true
    change(&configuration)
    backend = try StandInBackend(configuration)
    let tokens = try await exchange(as: configuration.clientID, from: backend.issuer).json
    token = try #require(tokens["access_token"]?.stringValue)
  }

  /// Signs in with a code, and returns the answer of the token endpoint.
  ///
  /// - Parameters:
  ///   - issuer: the address by which the client knows the issuer.
  ///   - headers: the header fields that a proxy adds.
  func exchange(
    as clientID: String = StandInConfiguration().clientID, from issuer: String, _ headers: [String: String] = [:]
  ) async throws -> Response {
    let path = "/api/accounts/deviceauth/"
    let code = try await send(.post, path + "usercode", ["client_id": .string(clientID)], headers: headers).json
    if let userCode = code["user_code"]?.stringValue { backend.approve(userCode: userCode) }
    let approval = try await send(.post, path + "token", code, headers: headers).json
    let fields = [
      "grant_type": "authorization_code", "client_id": clientID, "redirect_uri": issuer + "/deviceauth/callback",
      "code": try #require(approval["authorization_code"]?.stringValue),
      "code_verifier": try #require(approval["code_verifier"]?.stringValue),
    ]
    return try await post("/oauth/token", fields, headers)
  }

  /// The claims of a token.
  static func claims(_ token: ChappieJSONValue?) -> ChappieJSONValue {
    let parts = (token?.stringValue ?? "").split(separator: ".")
    guard parts.count > 1, let bytes = Base64URL.decode(parts[1].utf8) else { return .null }
    return (try? ChappieJSONValue(parsing: bytes.span)) ?? .null
  }

  // MARK: HTTP

  /// Sends a request with the access token.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: ChappieJSONValue? = nil, headers: [String: String] = [:]
  ) async throws -> Response {
    try await send(method, path, bytes: body?.encoded, headers)
  }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, bytes: [UInt8]?, _ headers: [String: String]
  ) async throws -> Response {
    var request = HTTPRequest(method, backend.localAddress + path)
    if let bytes { request.body = .bytes(bytes) }
    request.contentType = bytes.map { _ in "application/json" }
    for (name, value) in headers { request.setHeader(name, value) }
    if headers["authorization"] == nil { request.setHeader("authorization", "Bearer \(token)") }
    return try await send(request)
  }

  /// Posts a form; a field without a text is left out.
  func post(_ path: String, _ fields: [String: String], _ headers: [String: String] = [:]) async throws -> Response {
    var request = HTTPRequest(.post, backend.localAddress + path)
    request.body = .bytes(Array(Self.form(fields).utf8))
    request.contentType = "application/x-www-form-urlencoded"
    for (name, value) in headers { request.setHeader(name, value) }
    return try await send(request)
  }

  static func form(_ fields: [String: String]) -> String {
    fields.filter { !$0.value.isEmpty }.map { "\($0.key)=\(FormCoding.escape($0.value))" }.joined(separator: "&")
  }

  func send(_ request: HTTPRequest) async throws -> Response {
    let response = try await http.send(request, deadline: Self.patience)
    let bytes = try await response.bytes(limit: 64 << 20, deadline: Self.patience)
    return Response(status: response.status, headers: response.headers, body: bytes)
  }

  /// Requests an answer over HTTP.
  func respond(_ body: ChappieJSONValue, headers: [String: String] = [:]) async throws -> Response {
    try await send(.post, "/backend-api/codex/responses", body, headers: headers)
  }

  func respond(body: [UInt8], headers: [String: String]) async throws -> Response {
    try await send(.post, "/backend-api/codex/responses", bytes: body, headers)
  }

  // MARK: WebSocket

  func socket(_ headers: [String: String] = [:]) async throws -> WireSocket {
    let address = backend.baseURL.replacing("http://", with: "ws://")
    var request = HTTPRequest(.get, address + "/codex/responses")
    let usual = ["authorization": "Bearer \(token)", "openai-beta": "responses_websockets=2026-02-06"]
    for (name, value) in usual.merging(headers, uniquingKeysWith: { $1 }) where !value.isEmpty {
      request.setHeader(name, value)
    }
    return WireSocket(try await http.openWebSocket(request, deadline: Self.patience), backend)
  }

  /// Attempts a handshake; returns its refusal, or nil if it succeeds.
  func refusal(_ headers: [String: String] = [:]) async throws -> WebSocketRefusal? {
    do {
      _ = try await socket(headers)
      return nil
    } catch let refusal as WebSocketRefusal {
      return refusal
    }
  }
}
