// SPDX-License-Identifier: Apache-2.0
import HTTPTestServer

@testable import ChappieSDK

@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct TokenEndpointTests {
  private typealias Response = FakeIssuer.Response

  // MARK: Refresh

  @Test func refreshReplacesTheReturnedTokens() async throws {
    let issuer = try FakeIssuer()
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

  /// The server may have rotated the refresh token alone, and takes the old one no more.
  @Test(arguments: [
    (#"{"access_token":"access"}"#, "access", "rt-old"), (#"{"refresh_token":"rt-2"}"#, nil, "rt-2"),
  ])
  func refreshKeepsTheOtherTokens(_ body: String, _ access: String?, _ refresh: String) async throws {
    let old = Credential.test("old")
    let issuer = try FakeIssuer(tokens: Response(body: body))
    let renewed = try await issuer.method().refresh(old)
    #expect(renewed.accessToken.text == access ?? old.accessToken.text)
    #expect(renewed.refreshToken?.text == refresh)
    #expect(renewed.idToken?.text == old.idToken?.text)
  }

  @Test(arguments: ["{\"access_token\":\"\"}", "{\"access_token\":7}", "<html>", ""])
  func refreshWithoutAnAccessTokenFails(_ body: String) async throws {
    let issuer = try FakeIssuer(tokens: Response(body: body))
    await #expect(throws: ChappieAuthError.invalidResponse("the access token is missing or too long")) {
      try await issuer.method().refresh(.test("old"))
    }
  }

  @Test func sendsNoRequestWithoutARefreshToken() async throws {
    let issuer = try FakeIssuer()
    await #expect(throws: ChappieAuthError.missingRefreshToken) {
      try await issuer.method().refresh(.test("old", canBeRenewed: false))
    }
    #expect(issuer.requests.isEmpty)
  }

  private func error(ofRefresh status: Int, _ body: String) async throws -> ChappieAuthError? {
    let issuer = try FakeIssuer(tokens: Response(status: status, body: body))
    return await #expect(throws: ChappieAuthError.self) { try await issuer.method().refresh(.test("old")) }
  }

  @Test(arguments: [
    "invalid_grant", "Invalid_Grant", "invalid_refresh_token", "token_expired", "refresh_token_expired",
    "refresh_token_reused", "refresh_token_invalidated",
  ])
  func listedOAuthErrorsEndTheSignIn(_ code: String) async throws {
    for status in [400, 401, 403] {
      let error = try await error(ofRefresh: status, "{\"error\":\"\(code)\"}")
      #expect(error == .tokenExchangeFailed(status: status, message: code))
      #expect(error?.requiresReauthentication == true)
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
      let error = try await error(ofRefresh: status, body)
      let isFailure = if case .renewalFailed(status, _)? = error { true } else { false }
      #expect(isFailure && error?.requiresReauthentication == false, "\(String(describing: error))")
    }
  }

  @Test(arguments: [200, 201, 302, 404, 407, 429, 500, 503])
  func otherStatusesDoNotEndTheSignIn(_ status: Int) async throws {
    let error = try await error(ofRefresh: status, "{\"error\":\"invalid_grant\"}")
    #expect(error?.requiresReauthentication == false)
  }

  // MARK: The text of an error

  private static func answer(_ body: String) -> AuthHTTP.Response {
    AuthHTTP.Response(status: 400, body: SecretBytes(body.utf8), time: .now, reading: nil)
  }

  /// The three places for an error code (protocol.md, 2.4), and those for a message.
  @Test(arguments: [
    (#"{"error":{"code":"refresh_token_expired","message":"Used."}}"#, "refresh_token_expired", "Used."),
    (#"{"error":"invalid_grant"}"#, "invalid_grant", "invalid_grant"),
    (#"{"code":"refresh_token_reused"}"#, "refresh_token_reused", "refresh_token_reused"),
    (#"{"error":{"code":"nested"},"code":"outer"}"#, "nested", "nested"),
    (#"{"error_description":"described","error":{"message":"m"}}"#, nil, "described"),
    (#"{"error":{"code":null}}"#, nil, ""), (#"{"error":{}}"#, nil, ""), ("", nil, ""),
    ("<html>error</html>", nil, ""),
  ])
  func findsTheErrorsCodeAndMessage(_ body: String, _ code: String?, _ message: String) {
    #expect(Self.answer(body).errorCode == code)
    #expect(Self.answer(body).errorMessage == message)
  }

  /// A server may quote the request, so no error may contain a token.
  @Test func errorMessageContainsNoToken() {
    let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl"
    for body in [
      "{\"error_description\":\"bad \(token)\"}", "{\"error\":\"\(token)\"}", "{\"error\":{\"message\":\"\(token)\"}}",
    ] {
      #expect(!Self.answer(body).errorMessage.contains("eyJ"))
    }
  }

  // MARK: Revocation

  @Test func revokesTheRefreshTokenOrTheAccessToken() async throws {
    let issuer = try FakeIssuer(tokens: Response(status: 500))
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
