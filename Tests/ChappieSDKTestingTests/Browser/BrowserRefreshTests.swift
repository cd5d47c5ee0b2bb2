// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// Refreshes: rotation, reuse, and the time before which none is accepted.
@Suite @GLibActor struct BrowserRefreshTests {
  /// A client whose tokens may be refreshed at once.
  private func refreshable() async throws -> BrowserClient {
    try await BrowserClient.signedIn { $0.browserTokenLifetime = .seconds(1) }
  }

  @Test func eachRefreshReplacesTheTokens() async throws {
    let client = try await refreshable()
    let (first, subject) = (client.refreshToken, client.claims["sub"])
    for _ in 1...3 {
      let before = client.refreshToken
      #expect(try await client.refresh().status == 200)
      #expect(client.refreshToken != before)
      #expect(client.claims["sub"] == subject)
      #expect(client.claims["nonce"] == nil)
      #expect(client.tokens["scope"]?.stringValue == BrowserClient.scope)
    }
    #expect(client.refreshToken != first)
    #expect(client.wire.backend.state.requests["browser-refresh"] == 3)
  }

  @Test func theSecondUseEndsTheSignIn() async throws {
    let client = try await refreshable()
    let used = client.refreshToken
    _ = try await client.wire.send(.post, "/sandbox/access-token-lifetime", ["seconds": "3600"])
    #expect(try await client.refresh().status == 200)
    #expect(try await client.respond().status == 200)
    let reuse = try await client.refresh(["refresh_token": used])
    #expect(reuse.refusal == "400 refresh_token_reused")
    #expect(try await client.refresh().json["error"] == "refresh_token_invalidated")
    #expect(try await client.respond().status == 401)
  }

  @Test func reuseEndsNoOtherSignIn() async throws {
    let client = try await refreshable()
    let used = client.refreshToken
    _ = try await client.refresh()
    try await client.signIn()
    #expect(try await client.refresh(["refresh_token": used]).json["error"] == "refresh_token_reused")
    #expect(try await client.refresh().status == 200)
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
    let before = client.wire.backend.state.liveRefreshTokens
    try await client.signIn()
    #expect(client.wire.backend.state.liveRefreshTokens == before)
    let answer = try await client.refresh()
    #expect(answer.refusal == "400 refresh_token_expired")
    // Thirty days begin anew with each refresh.
    _ = try await client.wire.send(.post, path, ["seconds": "2592000"])
    try await client.signIn()
    for _ in 1...2 { #expect(try await client.refresh().status == 200) }
  }
}
