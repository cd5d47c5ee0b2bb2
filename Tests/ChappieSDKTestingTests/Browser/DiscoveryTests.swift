// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Signatures
import Testing

/// What the issuer publishes about itself, and the signatures of its ID tokens.
@Suite @GLibActor struct DiscoveryTests {
  private struct Key {
    let id: String
    let key: RSAPublicKey
  }

  private func keys(_ client: BrowserClient) async throws -> [Key] {
    let set = try await client.wire.send(.get, "/.well-known/jwks.json").json
    return try #require(set["keys"]?.arrayValue).map { entry in
      #expect(entry["kty"] == "RSA" && entry["alg"] == "RS256" && entry["use"] == "sig")
      let numbers = try ["n", "e"].map { try #require(entry[$0]?.stringValue.flatMap { Base64URL.decode($0.utf8) }) }
      return Key(
        id: try #require(entry["kid"]?.stringValue), key: RSAPublicKey(modulus: numbers[0], exponent: numbers[1]))
    }
  }

  /// The key id and the algorithm of the ID token, and whether the published key with this id has signed it.
  private func signature(_ client: BrowserClient) async throws -> (id: String?, algorithm: String?, isValid: Bool) {
    let token = try #require(client.tokens["id_token"]?.stringValue)
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let head = try #require(Base64URL.decode(parts[0].utf8))
    let header = try ChappieJSONValue(parsing: head.span)
    let id = header["kid"]?.stringValue
    let signature = try #require(Base64URL.decode(parts[2].utf8))
    let key = try await keys(client).first { $0.id == id }?.key
    let content = Array("\(parts[0]).\(parts[1])".utf8)
    return (id, header["alg"]?.stringValue, key?.verifies(signature, of: content) ?? false)
  }

  @Test func theIDTokenHasTheClaimsAndAValidSignature() async throws {
    let client = try await BrowserClient.signedIn { $0.user = StandInUser(email: "grace@example.com") }
    let signature = try await signature(client)
    #expect(signature.isValid)
    #expect(signature.algorithm == "RS256")
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
    #expect(try await keys(client).map(\.id) == [old.id])
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

  @Test func aRuleSpoilsTheSignatureOrReplacesClaims() async throws {
    let client = try await BrowserClient()
    for fault in ["wrong", "unpublished", "none"] {
      try client.wire.backend.play(#"[{"endpoint": "browser-token", "id_token": {"signature": "\#(fault)"}}]"#)
      try await client.signIn()
      let (spoilt, published) = (try await signature(client), try await keys(client).map(\.id))
      #expect(!spoilt.isValid, "\(fault)")
      #expect(spoilt.algorithm == (fault == "none" ? "none" : "RS256"), "\(fault)")
      #expect(published.contains(spoilt.id ?? "") == (fault != "unpublished"), "\(fault)")
    }
    try client.wire.backend.play(
      #"[{"endpoint": "browser-token", "id_token": {"claims": {"nonce": "another", "exp": null}}}]"#)
    try await client.signIn()
    #expect(client.claims["nonce"] == "another")
    #expect(client.claims["exp"] == nil)
    #expect(client.claims["sub"] != nil)
    #expect(try await signature(client).isValid)
  }
}
