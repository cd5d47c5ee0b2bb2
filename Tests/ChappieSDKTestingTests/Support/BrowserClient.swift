// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SecretMemory

/// A client of the sign-in in the browser, without the SDK: it opens addresses, and reads where they lead.
@GLibActor
final class BrowserClient {
  static let redirect = "http://127.0.0.1:9/auth/callback"
  static let host = "urn:uuid:6f1c8a52-0d0c-4c53-9c0f-5f6c9b1f7d01"
  static let scope = "openid profile email offline_access resource.invoke chatgpt.tokens.use.direct"
  static let verifier = String(repeating: "v", count: 43)

  let wire: Wire
  /// The issued client id; before the first sign-in the one that asks for it.
  var clientID = "dynamic_agent_client"
  /// The answer of the token endpoint.
  private(set) var tokens = ChappieJSONValue.null

  /// A client that has not signed in.
  init(_ change: (inout StandInConfiguration) -> Void = { _ in }) async throws {
    wire = try await Wire {
      $0.approvesAtOnce = true
      change(&$0)
    }
  }

  /// A client with tokens.
  static func signedIn(_ change: (inout StandInConfiguration) -> Void = { _ in }) async throws -> BrowserClient {
    let client = try await BrowserClient(change)
    try await client.signIn()
    return client
  }

  func signIn(_ decision: [String: ChappieJSONValue] = [:]) async throws {
    let callback = try await decide(decision)
    tokens = try await exchange(code: try #require(callback["code"])).json
    #expect(tokens["access_token"]?.stringValue?.contains("SANDBOXSECRET") == true)
  }

  // MARK: Authorization

  /// The parameters of an authorization request; an empty text removes one.
  func parameters(_ changes: [String: String] = [:]) -> [String: String] {
    var usual = [
      "client_id": clientID, "ext_agent_host_id": Self.host,
      "response_type": "code", "redirect_uri": Self.redirect, "scope": Self.scope, "resource": wire.backend.publicAPI,
      "state": "the state", "nonce": "the nonce", "code_challenge_method": "S256",
      "code_challenge": Base64URL.encode(SHA256.digest(of: Array(Self.verifier.utf8))),
    ]
    if clientID == "dynamic_agent_client" { usual["agent_name_hint"] = "Tests" }
    return usual.merging(changes) { $1 }
  }

  func address(_ changes: [String: String] = [:]) -> String {
    wire.backend.issuer + "/api/accounts/authorize?" + Wire.form(parameters(changes))
  }

  /// Opens an authorization request in the browser.
  func open(_ changes: [String: String] = [:]) async throws -> Wire.Response {
    try await wire.send(HTTPRequest(.get, address(changes)))
  }

  /// Decides by the control request, and returns the parameters of the callback. An issued client id is kept.
  func decide(
    _ decision: [String: ChappieJSONValue] = [:], _ changes: [String: String] = [:]
  ) async throws -> [String: String] {
    let body: [String: ChappieJSONValue] = ["address": .string(address(changes))]
    let answer = try await wire.send(.post, "/sandbox/authorize", .object(body.merging(decision) { $1 }))
    let callback = Self.query(answer.json["location"]?.stringValue ?? answer.json["error"]?.stringValue ?? "")
    if let issued = callback["client_id"] { clientID = issued }
    return callback
  }

  // MARK: Tokens

  func exchange(code: String, _ changes: [String: String] = [:]) async throws -> Wire.Response {
    let usual = [
      "grant_type": "authorization_code", "client_id": clientID, "code": code, "code_verifier": Self.verifier,
      "redirect_uri": Self.redirect, "resource": wire.backend.publicAPI,
    ]
    return try await wire.post("/api/accounts/oauth/token", usual.merging(changes) { $1 })
  }

  /// Refreshes, and keeps the tokens that arrive.
  func refresh(_ changes: [String: String] = [:]) async throws -> Wire.Response {
    let usual = [
      "grant_type": "refresh_token", "client_id": clientID, "refresh_token": refreshToken,
      "resource": wire.backend.publicAPI,
    ]
    let answer = try await wire.post("/api/accounts/oauth/token", usual.merging(changes) { $1 })
    if answer.status == 200 { tokens = answer.json }
    return answer
  }

  var refreshToken: String { tokens["refresh_token"]?.stringValue ?? "" }

  /// The claims of the ID token.
  var claims: ChappieJSONValue { Wire.claims(tokens["id_token"]) }

  // MARK: Public API

  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: ChappieJSONValue? = nil
  ) async throws -> Wire.Response {
    try await wire.send(
      method, path, body, headers: ["authorization": "Bearer \(tokens["access_token"]?.stringValue ?? "")"])
  }

  /// Requests an answer.
  func respond(_ changes: [String: ChappieJSONValue] = [:]) async throws -> Wire.Response {
    try await send(.post, "/v1/responses", Body.request([Body.user("Hello")], changes))
  }

  // MARK: Texts

  static func query(_ address: String) -> [String: String] {
    let items = URLComponents(string: address)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
  }
}
