// SPDX-License-Identifier: Apache-2.0

/// The exchange of a code, revocation, and refreshes: rotation, reuse, and the time before which none is accepted.
@Suite @GLibActor struct BrowserTokenTests {
  @Test func theAnswerHasTheDocumentedMembers() async throws {
    let client = try await BrowserClient.signedIn()
    #expect(client.tokens["token_type"] == "Bearer")
    #expect(client.tokens["expires_in"] == 3600)
    #expect(client.tokens["scope"]?.stringValue == BrowserClient.scope)
    #expect(client.refreshToken.contains("SANDBOXSECRET"))
    let (earliest, issued) = (client.tokens["earliest_refresh_at"]?.integerValue, client.claims["iat"]?.integerValue)
    #expect(try #require(earliest) - #require(issued) == 3240)
  }

  @Test func theScopeAndTheResourceAreThoseOfTheRequest() async throws {
    let client = try await BrowserClient()
    let live = ["resource": "https://api.openai.com/v1"]
    let approved = try await client.decide([:], live)
    #expect(try await client.exchange(code: approved["code"] ?? "", live).status == 200)
    // Without offline access there is no refresh token.
    let callback = try await client.decide([:], ["scope": "openid email"])
    let tokens = try await client.exchange(code: callback["code"] ?? "").json
    #expect(tokens["access_token"] != nil)
    #expect(tokens["refresh_token"] == nil)
  }

  /// Each uses the code up, apart from those that are refused before it is read.
  @Test func refusesAWrongExchange() async throws {
    let client = try await BrowserClient()
    for (change, refusal, isLive) in [
      (["grant_type": "password"], "400 unsupported_grant_type", true),
      (["client_id": "dynamic_agent_client"], "401 invalid_client", true),
      (["client_id": ""], "401 invalid_client", true), (["resource": ""], "400 invalid_target", true),
      (["resource": "https://other.example/v1"], "400 invalid_target", true),
      (["code": "ac-unknown"], "400 invalid_grant", true),
      (["code_verifier": String(repeating: "w", count: 43)], "400 invalid_grant", false),
      (["code_verifier": ""], "400 invalid_grant", false),
      (["redirect_uri": "http://127.0.0.1:10/auth/callback"], "400 invalid_grant", false),
    ] as [([String: String], String, Bool)] {
      let code = try await client.decide()["code"] ?? ""
      #expect(try await client.exchange(code: code, change).refusal == refusal, "\(change)")
      #expect(try await client.exchange(code: code).status == (isLive ? 200 : 400), "\(change)")
    }
  }

  @Test func aCodeIsForOneUseOfItsClient() async throws {
    let client = try await BrowserClient()
    let code = try await client.decide()["code"] ?? ""
    let tokens = try await client.exchange(code: code).json
    let again = try await client.exchange(code: code)
    #expect(again.json["error"] == "invalid_grant")
    let refresh = try await client.refresh(["refresh_token": tokens["refresh_token"]?.stringValue ?? ""])
    #expect(refresh.json["error"] == "refresh_token_invalidated")
    let other = client.clientID
    client.clientID = "dynamic_agent_client"
    let callback = try await client.decide()
    let answer = try await client.exchange(code: callback["code"] ?? "", ["client_id": other])
    #expect(answer.json["error"] == "invalid_grant")
  }

  // MARK: Revocation

  private static let revoke = "/api/accounts/oauth/revoke"

  @Test func revocationEndsTheSignInAndKeepsTheRegistration() async throws {
    let client = try await BrowserClient.signedIn()
    let answer = try await client.wire.post(
      Self.revoke,
      ["token": client.refreshToken, "token_type_hint": "refresh_token", "client_id": client.clientID])
    #expect(answer.status == 200)
    #expect(answer.body.isEmpty)
    #expect(client.wire.backend.state.revokedRefreshTokens == 1)
    #expect(try await client.respond().status == 401)
    #expect(try await client.refresh().json["error"] == "refresh_token_invalidated")
    try await client.signIn()
    #expect(client.wire.backend.state.registrations.count == 1)
  }

  @Test func revokesOnlyTokensOfTheClient() async throws {
    let client = try await BrowserClient.signedIn()
    let (token, owner) = (client.refreshToken, client.clientID)
    client.clientID = "dynamic_agent_client"
    try await client.signIn()
    for fields in [["token": token, "client_id": client.clientID], ["token": "unknown", "client_id": owner]] {
      #expect(try await client.wire.post(Self.revoke, fields).status == 200)
    }
    #expect(client.wire.backend.state.revokedRefreshTokens == 0)
    #expect(try await client.wire.post(Self.revoke, ["client_id": owner]).json["error"] == "invalid_request")
    #expect(try await client.wire.post(Self.revoke, ["token": token]).json["error"] == "invalid_client")
    let json: ChappieJSONValue = ["token": .string(token), "client_id": .string(owner)]
    #expect(try await client.wire.send(.post, Self.revoke, json).status == 400)
    #expect(client.wire.backend.state.revokedRefreshTokens == 0)
  }

  @Test func aUserDisconnectsAnApplication() async throws {
    let client = try await BrowserClient.signedIn()
    let body: ChappieJSONValue = ["client_id": .string(client.clientID)]
    #expect(try await client.wire.send(.post, "/sandbox/disconnect", body).status == 200)
    #expect(try await client.respond().json["detail", "error_code"] == "invalid_token")
    #expect(try await client.refresh().json["error"] == "refresh_token_invalidated")
    // The sign-in with a code is another one.
    #expect(client.wire.backend.state.revokedRefreshTokens == 1)
    #expect(client.wire.backend.state.liveRefreshTokens == 1)
  }

  // MARK: Refreshes

  /// A client whose tokens may be refreshed at once.
  private func refreshable() async throws -> BrowserClient {
    try await BrowserClient.signedIn { $0.browserTokenLifetime = .seconds(1) }
  }

  @Test func theSecondUseEndsTheSignIn() async throws {
    let client = try await refreshable()
    let (used, subject) = (client.refreshToken, client.claims["sub"])
    _ = try await client.wire.send(.post, "/sandbox/access-token-lifetime", ["seconds": "3600"])
    #expect(try await client.refresh().status == 200)
    #expect(client.claims["sub"] == subject && client.claims["nonce"] == nil)
    #expect(try await client.respond().status == 200)
    let reuse = try await client.refresh(["refresh_token": used])
    #expect(reuse.refusal == "400 refresh_token_reused")
    #expect(try await client.refresh().json["error"] == "refresh_token_invalidated")
    #expect(try await client.respond().status == 401)
    // It ends no other sign-in.
    try await client.signIn()
    #expect(try await client.refresh(["refresh_token": used]).json["error"] == "refresh_token_reused")
    #expect(try await client.respond().status == 200)
  }

  @Test func anEarlyRefreshMayLeaveTheToken() async throws {
    let client = try await BrowserClient.signedIn { $0.earlyRefresh = .refused }
    for _ in 1...2 { #expect(try await client.refresh().json["error"] == "invalid_grant") }
    let path = "/sandbox/early-refresh"
    #expect(try await client.wire.send(.post, path, ["answer": "perhaps"]).status == 400)
    #expect(try await client.wire.send(.post, path, ["answer": "accepted"]).status == 200)
    #expect(try await client.refresh().status == 200)
    #expect(try await client.wire.send(.post, path, ["answer": "spends"]).status == 200)
    #expect(try await client.refresh().json["error"] == "invalid_grant")
    #expect(try await client.refresh().json["error"] == "refresh_token_reused")
  }

  /// None of them uses the token up.
  @Test func refusesAWrongRefresh() async throws {
    let client = try await refreshable()
    for (change, refusal) in [
      (["client_id": "oaiapp_unknown"], "401 invalid_client"), (["client_id": ""], "401 invalid_client"),
      (["resource": ""], "400 invalid_target"), (["scope": "openid"], "400 invalid_request"),
      (["refresh_token": "rt-unknown"], "400 invalid_refresh_token"),
      (["refresh_token": ""], "400 invalid_refresh_token"),
    ] as [([String: String], String)] {
      #expect(try await client.refresh(change).refusal == refusal, "\(change)")
    }
    #expect(try await client.refresh().status == 200)
    // A token is for its client.
    let token = client.refreshToken
    client.clientID = "dynamic_agent_client"
    try await client.signIn()
    #expect(try await client.refresh(["refresh_token": token]).json["error"] == "invalid_refresh_token")
  }

  @Test func aTokenThatIsTooOldIsRefused() async throws {
    let client = try await BrowserClient { $0.browserTokenLifetime = .seconds(1) }
    let path = "/sandbox/refresh-token-lifetime"
    #expect(try await client.wire.send(.post, path, ["seconds": "-1"]).status == 400)
    #expect(try await client.wire.send(.post, path, ["seconds": "0"]).status == 200)
    try await client.signIn()
    #expect(try await client.refresh().refusal == "400 refresh_token_expired")
    // Thirty days begin anew with each refresh.
    _ = try await client.wire.send(.post, path, ["seconds": "2592000"])
    try await client.signIn()
    for _ in 1...2 { #expect(try await client.refresh().status == 200) }
  }
}
