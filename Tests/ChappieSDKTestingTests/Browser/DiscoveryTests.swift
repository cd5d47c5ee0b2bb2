// SPDX-License-Identifier: Apache-2.0
import Signatures

/// What the issuer publishes about itself, and the signatures of its ID tokens.
@Suite @GLibActor struct DiscoveryTests {
  private func keys(_ client: BrowserClient) async throws -> [(id: String, key: RSAPublicKey)] {
    let set = try await client.wire.send(.get, "/.well-known/jwks.json").json
    return try #require(set["keys"]?.arrayValue).map { entry -> (id: String, key: RSAPublicKey) in
      #expect(entry["kty"] == "RSA" && entry["alg"] == "RS256" && entry["use"] == "sig")
      let numbers = try ["n", "e"].map { try #require(entry[$0]?.stringValue.flatMap { Base64URL.decode($0.utf8) }) }
      return (try #require(entry["kid"]?.stringValue), RSAPublicKey(modulus: numbers[0], exponent: numbers[1]))
    }
  }

  /// The key id of the ID token, and whether the published key with this id has signed it.
  private func signature(_ client: BrowserClient) async throws -> (id: String?, isValid: Bool) {
    let token = try #require(client.tokens["id_token"]?.stringValue)
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let head = try #require(Base64URL.decode(parts[0].utf8))
    let header = try ChappieJSONValue(parsing: head.span)
    let id = header["kid"]?.stringValue
    let signature = try #require(Base64URL.decode(parts[2].utf8))
    let key = try await keys(client).first { $0.id == id }?.key
    let content = Array("\(parts[0]).\(parts[1])".utf8)
    return (id, header["alg"] == "RS256" && key?.verifies(signature, of: content) == true)
  }

  @Test func theIDTokenHasTheClaimsAndAValidSignature() async throws {
    let client = try await BrowserClient.signedIn { $0.user = StandInUser(email: "grace@example.com") }
    let signature = try await signature(client)
    #expect(signature.isValid)
    #expect(client.claims["iss"]?.stringValue == client.wire.backend.issuer)
    #expect(client.claims["aud"] == [.string(client.clientID)])
    #expect(client.claims["nonce"] == "the nonce")
    #expect(client.claims["email"] == "grace@example.com")
    #expect(client.claims["sub"]?.stringValue?.hasPrefix("user-") == true)
    let (issued, expires) = (client.claims["iat"]?.integerValue, client.claims["exp"]?.integerValue)
    #expect(try #require(expires) - #require(issued) == 3600)
    // A search for this text finds an ID token, in which base64url hides the marker.
    #expect(client.tokens["id_token"]?.stringValue?.contains("U0FOREJPWFNFQ1JF") == true)
    #expect(client.claims["jti"]?.stringValue?.contains("SANDBOXSECRET") == true)
    // Nothing in the tokens names an account or a plan.
    #expect(client.claims["https://api.openai.com/auth"] == nil)
  }

  @Test(arguments: [true, false]) func aRotationReplacesTheKey(_ keepsOlder: Bool) async throws {
    let client = try await BrowserClient.signedIn()
    let old = try await signature(client)
    #expect(try await keys(client).map { $0.id } == [old.id])
    if keepsOlder {
      client.wire.backend.rotateKeys()
    } else {
      #expect(try await client.wire.send(.post, "/sandbox/rotate-keys", ["keep": "false"]).status == 200)
    }
    #expect(try await signature(client).isValid == keepsOlder)
    try await client.signIn()
    let new = try await signature(client)
    #expect(new.isValid)
    #expect(new.id != old.id)
    #expect(try await keys(client).count == (keepsOlder ? 2 : 1))
  }

  // MARK: A client that reaches the issuer through a proxy with TLS

  @Test func theIssuerIsTheAddressThatTheClientUses() async throws {
    let wire = try await Wire()
    for headers in [
      [:], ["x-forwarded-proto": "https"], ["x-forwarded-proto": "HTTPS, http"],
      ["forwarded": "for=192.0.2.1;Proto=https;host=\"sign-in.example\", for=10.0.0.1;proto=http", "host": "inner"],
      ["x-forwarded-host": "sign-in.example, inner", "x-forwarded-proto": "https", "host": "inner"],
    ] as [[String: String]] {
      let usual = ["host": "sign-in.example"]
      let answer = try await wire.exchange(from: "https://sign-in.example", usual.merging(headers) { $1 })
      #expect(answer.status == 200, "\(headers)")
      #expect(Wire.claims(answer.json["id_token"])["iss"] == "https://sign-in.example", "\(headers)")
    }
    let tls = ["host": "sign-in.example", "x-forwarded-proto": "https"]
    for (address, headers) in [
      ("http://sign-in.example", tls), ("https://other.example", tls),
      ("ftp://sign-in.example", ["host": "sign-in.example"]),
    ] {
      #expect(try await wire.exchange(from: address, headers).refusal == "400 invalid_grant", "\(address)")
    }
  }

  @Test func acceptsOnlyTheConfiguredAddress() async throws {
    let wire = try await Wire { $0.publicURL = "https://sign-in.example:8443" }
    #expect(wire.backend.issuer == "https://sign-in.example:8443")
    #expect(wire.backend.baseURL == "https://sign-in.example:8443/backend-api")
    #expect(wire.backend.devicePage == "https://sign-in.example:8443/codex/device")
    let answer = try await wire.exchange(from: "https://sign-in.example:8443", ["host": "inner"])
    #expect(Wire.claims(answer.json["id_token"])["iss"] == "https://sign-in.example:8443")
    #expect(try await wire.exchange(from: wire.backend.localAddress).status == 400)
    // An origin with TLS needs no other origin for its workspace.
    let accounts = try await wire.send(.get, "/backend-api/wham/accounts/check").json["accounts"]?.arrayValue
    #expect(accounts?.first?["workspace_backend_origin"] == "NO_CONSTRAINT")
  }

  @Test func theLifetimeOfTokensCanBeChanged() async throws {
    let wire = try await Wire()
    for (seconds, status) in [("0", 400), ("-1", 400), ("soon", 400), ("", 400), ("240", 200)] {
      let answer = try await wire.send(.post, "/sandbox/access-token-lifetime", ["seconds": .string(seconds)])
      #expect(answer.status == status, "\(seconds)")
    }
    #expect(try await wire.exchange(from: wire.backend.issuer).json["expires_in"]?.integerValue == 240)
  }
}
