// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import FoundationEssentials
import GLibBridge
import SecretMemory
import Testing

/// A client of the sign-in in the browser, without the SDK: it opens addresses, and reads where they lead.
@GLibActor
final class BrowserClient {
  static let redirect = "http://127.0.0.1:9/auth/callback"
  static let host = "urn:uuid:6f1c8a52-0d0c-4c53-9c0f-5f6c9b1f7d01"
  static let scope = "openid profile email offline_access resource.invoke chatgpt.tokens.use.direct"
  static let verifier = "v".repeated(43)

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
      "code_challenge": Self.base64URL(SHA256.digest(of: Array(Self.verifier.utf8))),
    ]
    if clientID == "dynamic_agent_client" { usual["agent_name_hint"] = "Tests" }
    return usual.merging(changes) { $1 }.filter { !$0.value.isEmpty }
  }

  func address(_ changes: [String: String] = [:]) -> String {
    wire.backend.issuer + "/api/accounts/authorize?" + Self.form(parameters(changes))
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

  func post(_ path: String, _ fields: [String: String]) async throws -> Wire.Response {
    var request = HTTPRequest(.post, wire.backend.localAddress + path)
    request.body = .bytes(Array(Self.form(fields.filter { !$0.value.isEmpty }).utf8))
    request.contentType = "application/x-www-form-urlencoded"
    return try await wire.send(request)
  }

  func exchange(code: String, _ changes: [String: String] = [:]) async throws -> Wire.Response {
    let usual = [
      "grant_type": "authorization_code", "client_id": clientID, "code": code, "code_verifier": Self.verifier,
      "redirect_uri": Self.redirect, "resource": wire.backend.publicAPI,
    ]
    return try await post("/api/accounts/oauth/token", usual.merging(changes) { $1 })
  }

  /// Refreshes, and keeps the tokens that arrive.
  func refresh(_ changes: [String: String] = [:]) async throws -> Wire.Response {
    let usual = [
      "grant_type": "refresh_token", "client_id": clientID, "refresh_token": refreshToken,
      "resource": wire.backend.publicAPI,
    ]
    let answer = try await post("/api/accounts/oauth/token", usual.merging(changes) { $1 })
    if answer.status == 200 { tokens = answer.json }
    return answer
  }

  var refreshToken: String { tokens["refresh_token"]?.stringValue ?? "" }

  /// The claims of the ID token.
  var claims: ChappieJSONValue {
    let parts = (tokens["id_token"]?.stringValue ?? "").split(separator: ".")
    guard parts.count > 1, let bytes = Self.bytes(base64URL: String(parts[1])) else { return .null }
    return (try? ChappieJSONValue(parsing: bytes.span)) ?? .null
  }

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

  static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  static func bytes(base64URL text: String) -> [UInt8]? {
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: base64 + "=".repeated((4 - base64.count % 4) % 4)).map { [UInt8]($0) }
  }

  private static func form(_ fields: [String: String]) -> String {
    fields.map { "\($0.key)=\(escaped($0.value))" }.joined(separator: "&")
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      byte.isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}

extension UInt8 {
  fileprivate var isPlain: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

extension String {
  fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
