// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import FoundationEssentials
import GLibBridge
import Testing

/// A client that reaches the issuer through a proxy with TLS.
@Suite @GLibActor struct PublicAddressTests {
  private nonisolated static let client = StandInConfiguration().clientID

  /// Signs in as a client that knows the issuer by `address`, through a proxy that adds `headers`.
  private func exchange(_ wire: Wire, _ address: String, _ headers: [String: String]) async throws -> Wire.Response {
    let code = try await wire.send(
      .post, "/api/accounts/deviceauth/usercode", ["client_id": .string(Self.client)], headers: headers
    ).json
    let approval = try await wire.send(.post, "/api/accounts/deviceauth/token", code, headers: headers).json
    let form = [
      "grant_type=authorization_code", "client_id=\(Self.client)",
      "code=\(try #require(approval["authorization_code"]?.stringValue))",
      "code_verifier=\(try #require(approval["code_verifier"]?.stringValue))",
      "redirect_uri=\(address)/deviceauth/callback",
    ]
    var request = HTTPRequest(.post, wire.backend.localAddress + "/oauth/token")
    request.body = .bytes(Array(form.joined(separator: "&").utf8))
    request.contentType = "application/x-www-form-urlencoded"
    for (name, value) in headers { request.setHeader(name, value) }
    return try await wire.send(request)
  }

  /// The issuer in the claims of the ID token.
  private func issuer(_ answer: Wire.Response) throws -> String {
    let parts = try #require(answer.json["id_token"]?.stringValue).split(separator: ".")
    let base64 = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
    let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
    let claims = try ChappieJSONValue(json: String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self))
    return try #require(claims["iss"]?.stringValue)
  }

  @Test(
    arguments: [
      [:], ["x-forwarded-proto": "https"], ["x-forwarded-proto": "HTTPS, http"],
      ["forwarded": "for=192.0.2.1;Proto=https;host=\"sign-in.example\", for=10.0.0.1;proto=http", "host": "inner"],
      ["x-forwarded-host": "sign-in.example, inner", "x-forwarded-proto": "https", "host": "inner"],
    ] as [[String: String]]) func theIssuerIsTheAddressThatTheClientUses(_ headers: [String: String]) async throws
  {
    let wire = try await Wire()
    let answer = try await exchange(
      wire, "https://sign-in.example", ["host": "sign-in.example"].merging(headers) { $1 })
    #expect(answer.status == 200)
    #expect(try issuer(answer) == "https://sign-in.example")
    await wire.backend.stop()
  }

  @Test func refusesAnotherRedirectAddress() async throws {
    let wire = try await Wire()
    let tls = ["host": "sign-in.example", "x-forwarded-proto": "https"]
    for (address, headers) in [
      ("http://sign-in.example", tls), ("https://other.example", tls),
      ("ftp://sign-in.example", ["host": "sign-in.example"]),
    ] {
      let answer = try await exchange(wire, address, headers)
      #expect(answer.status == 400)
      #expect(answer.json["error"] == "invalid_grant")
    }
    await wire.backend.stop()
  }

  @Test func acceptsOnlyTheConfiguredAddress() async throws {
    let wire = try await Wire { $0.publicURL = "https://sign-in.example:8443" }
    #expect(wire.backend.issuer == "https://sign-in.example:8443")
    #expect(wire.backend.baseURL == "https://sign-in.example:8443/backend-api")
    #expect(wire.backend.devicePage == "https://sign-in.example:8443/codex/device")
    let answer = try await exchange(wire, "https://sign-in.example:8443", ["host": "inner"])
    #expect(try issuer(answer) == "https://sign-in.example:8443")
    #expect(try await exchange(wire, wire.backend.localAddress, [:]).status == 400)
    // An origin with TLS needs no other origin for its workspace.
    let accounts = try await wire.send(.get, "/backend-api/wham/accounts/check").json["accounts"]?.arrayValue
    #expect(accounts?.first?["workspace_backend_origin"] == "NO_CONSTRAINT")
    await wire.backend.stop()
  }
}
