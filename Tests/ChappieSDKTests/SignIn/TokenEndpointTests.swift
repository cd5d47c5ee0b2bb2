// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import HTTPTestServer
import SecretMemory
import Testing

@testable import ChappieSDK

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct TokenEndpointTests {
  private typealias Response = FakeIssuer.Response

  private static func issuer(_ answers: Response...) throws -> FakeIssuer {
    try FakeIssuer([
      FakeIssuer.codePath: [FakeIssuer.code], FakeIssuer.pollPath: [FakeIssuer.approval],
      FakeIssuer.tokenPath: answers, FakeIssuer.revokePath: answers,
    ])
  }

  // MARK: Exchange

  private static func exchange(_ issuer: FakeIssuer) async throws -> Credential {
    try await issuer.method().signIn(.plain) { _ in }
  }

  @Test func exchangesACodeForTokens() async throws {
    let issuer = try Self.issuer(FakeIssuer.tokens)
    let credential = try await Self.exchange(issuer)
    #expect(credential.method == "device-code")
    #expect(credential.accessToken.text == "access")
    #expect(credential.renewedAt > 0)
    let request = try #require(issuer.requests.first { $0.path == FakeIssuer.tokenPath })
    #expect(
      request.form == [
        "grant_type": "authorization_code", "client_id": ChappieBackend.productionClientID, "code": "a-code/+",
        "redirect_uri": "\(try issuer.method().servers.issuer)/deviceauth/callback", "code_verifier": "verifier",
      ])
  }

  @Test func refusedExchangeContainsTheReason() async throws {
    let issuer = try Self.issuer(Response(status: 400, body: "{\"error\":\"invalid_grant\"}"))
    await #expect(throws: ChappieAuthError.tokenExchangeFailed(status: 400, message: "invalid_grant")) {
      try await Self.exchange(issuer)
    }
  }

  @Test(arguments: ["access_token", "refresh_token", "id_token"])
  func exchangeNeedsAllTokens(_ missing: String) async throws {
    let issuer = try Self.issuer(Response(body: FakeIssuer.tokens.body.replacing("\"\(missing)\"", with: "\"x\"")))
    await #expect(throws: ChappieAuthError.invalidResponse("a token is missing or too long")) {
      try await Self.exchange(issuer)
    }
  }

  // MARK: Refresh

  @Test func refreshReplacesTheReturnedTokens() async throws {
    let issuer = try Self.issuer(FakeIssuer.tokens)
    let renewed = try await issuer.method().refresh(.test("old", renewedAt: 5))
    #expect(renewed.accessToken.text == "access")
    #expect(renewed.refreshToken?.text == "rt-1")
    #expect(renewed.idToken?.text == "a.b.c")
    #expect(renewed.renewedAt > 5)
    #expect(renewed.method == "device-code")
    let body = try ChappieJSONValue(foundation: try #require(issuer.requests.first).body)
    let clientID = ChappieJSONValue.string(ChappieBackend.productionClientID)
    #expect(body == ["client_id": clientID, "grant_type": "refresh_token", "refresh_token": "rt-old"])
  }

  @Test func refreshKeepsTheOtherTokens() async throws {
    let old = Credential.test("old")
    let issuer = try Self.issuer(Response(body: "{\"access_token\":\"access\"}"))
    let renewed = try await issuer.method().refresh(old)
    #expect(renewed.accessToken.text == "access")
    #expect(renewed.refreshToken?.text == "rt-old")
    #expect(renewed.idToken?.text == old.idToken?.text)
  }

  /// The server has rotated the refresh token, and takes the old one no more.
  @Test func refreshKeepsARefreshTokenWithoutAnAccessToken() async throws {
    let old = Credential.test("old")
    let issuer = try Self.issuer(Response(body: #"{"refresh_token":"rt-2"}"#))
    let renewed = try await issuer.method().refresh(old)
    #expect(renewed.refreshToken?.text == "rt-2")
    #expect(renewed.accessToken.text == old.accessToken.text)
  }

  @Test(arguments: ["{\"access_token\":\"\"}", "{\"access_token\":7}", "<html>", ""])
  func refreshWithoutAnAccessTokenFails(_ body: String) async throws {
    let issuer = try Self.issuer(Response(body: body))
    await #expect(throws: ChappieAuthError.invalidResponse("the access token is missing or too long")) {
      try await issuer.method().refresh(.test("old"))
    }
  }

  @Test func sendsNoRequestWithoutARefreshToken() async throws {
    let issuer = try Self.issuer(FakeIssuer.tokens)
    await #expect(throws: ChappieAuthError.missingRefreshToken) {
      try await issuer.method().refresh(.test("old", canBeRenewed: false))
    }
    #expect(issuer.requests.isEmpty)
  }

  @Test func refusedRefreshContainsTheReason() async throws {
    let message = "Your refresh token has already been used."
    let body = "{\"error\":{\"message\":\"\(message)\",\"code\":\"refresh_token_reused\"}}"
    let issuer = try Self.issuer(Response(status: 401, body: body))
    await #expect(throws: ChappieAuthError.tokenExchangeFailed(status: 401, message: message)) {
      try await issuer.method().refresh(.test("old"))
    }
  }

  @Test(arguments: [
    "invalid_grant", "Invalid_Grant", "invalid_refresh_token", "token_expired", "refresh_token_expired",
    "refresh_token_reused", "refresh_token_invalidated",
  ])
  func listedOAuthErrorsEndTheSignIn(_ code: String) async throws {
    for status in [400, 401, 403] {
      for body in [
        "{\"error\":\"\(code)\"}", "{\"error\":{\"code\":\"\(code)\"}}", "{\"code\":\"\(code)\"}",
      ] {
        let issuer = try Self.issuer(Response(status: status, body: body))
        let error = await #expect(throws: ChappieAuthError.self) { try await issuer.method().refresh(.test("old")) }
        #expect(error == .tokenExchangeFailed(status: status, message: code))
        #expect(error?.requiresReauthentication == true)
      }
    }
  }

  @Test(arguments: [
    "", "<html><title>403 Forbidden</title>invalid_grant</html>", "{}", "{\"error\":\"invalid_client\"}",
    "{\"error\":\"invalid_request\"}", "{\"error\":\"access_denied\"}", "{\"error\":\"something_new\"}",
    "{\"error\":\"invalid_grant\"", "{\"error\":{\"code\":\"refresh_token_reused\"}", "[\"invalid_grant\"]",
    "{\"message\":\"invalid_grant\"}", "invalid_grant", "\u{0}\u{1}\u{FFFD}",
  ])
  func otherAnswersDoNotEndTheSignIn(_ body: String) async throws {
    for status in [400, 401, 403] {
      let issuer = try Self.issuer(Response(status: status, body: body))
      let error = await #expect(throws: ChappieAuthError.self) { try await issuer.method().refresh(.test("old")) }
      guard case .renewalFailed(status, _)? = error else {
        Issue.record("\(error.map { "\($0)" } ?? "nothing")")
        continue
      }
      #expect(error?.requiresReauthentication == false)
    }
  }

  @Test(arguments: [200, 201, 302, 404, 407, 429, 500, 503])
  func otherStatusesDoNotEndTheSignIn(_ status: Int) async throws {
    let issuer = try Self.issuer(Response(status: status, body: "{\"error\":\"invalid_grant\"}"))
    let error = await #expect(throws: ChappieAuthError.self) { try await issuer.method().refresh(.test("old")) }
    #expect(error?.requiresReauthentication == false)
  }

  // MARK: Revocation

  @Test func revokesTheRefreshTokenOrTheAccessToken() async throws {
    let issuer = try Self.issuer(Response(status: 500))
    let bare = Credential.test("bare", canBeRenewed: false)
    for credential in [.test("old"), bare] {
      await #expect(throws: ChappieAuthError.revocationFailed("it answered with status 500")) {
        try await issuer.method().revoke(credential)
      }
    }
    let bodies = try issuer.requests.map { try ChappieJSONValue(foundation: $0.body) }
    let clientID = ChappieJSONValue.string(ChappieBackend.productionClientID)
    #expect(
      bodies == [
        ["token": "rt-old", "token_type_hint": "refresh_token", "client_id": clientID],
        ["token": .string(bare.accessToken.text), "token_type_hint": "access_token"],
      ])
  }
}
