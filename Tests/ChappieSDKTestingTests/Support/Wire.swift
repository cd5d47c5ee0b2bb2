// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

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
  /// The refresh token of the sign-in.
  private(set) var refreshToken = ""

  init(_ change: (inout StandInConfiguration) -> Void = { _ in }) async throws {
    var configuration = StandInConfiguration()
    configuration.wordsPerSecond = 0
    configuration.approvesAtOnce = true
    change(&configuration)
    backend = try StandInBackend(configuration)
    try await signIn(clientID: configuration.clientID)
  }

  private func signIn(clientID: String) async throws {
    let code = try await send(.post, "/api/accounts/deviceauth/usercode", ["client_id": .string(clientID)]).json
    if let userCode = code["user_code"]?.stringValue { backend.approve(userCode: userCode) }
    let approval = try await send(
      .post, "/api/accounts/deviceauth/token",
      ["device_auth_id": try #require(code["device_auth_id"]), "user_code": try #require(code["user_code"])]
    ).json
    let form = [
      "grant_type=authorization_code", "client_id=\(clientID)",
      "code=\(try #require(approval["authorization_code"]?.stringValue))",
      "code_verifier=\(try #require(approval["code_verifier"]?.stringValue))",
      "redirect_uri=\(backend.issuer)/deviceauth/callback",
    ]
    var request = HTTPRequest(.post, backend.localAddress + "/oauth/token")
    request.body = .bytes(Array(form.joined(separator: "&").utf8))
    request.contentType = "application/x-www-form-urlencoded"
    let tokens = try await send(request).json
    token = try #require(tokens["access_token"]?.stringValue)
    refreshToken = try #require(tokens["refresh_token"]?.stringValue)
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
    return WireSocket(try await http.openWebSocket(request, deadline: Self.patience))
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
