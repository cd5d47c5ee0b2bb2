// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory
import Testing

@testable import ChappieSDK

@GLibActor
struct AuthHTTPTests {
  private static func answer(_ body: String, status: Int = 400) -> AuthHTTP.Response {
    AuthHTTP.Response(status: status, body: SecretBytes(body.utf8), time: .now, reading: nil)
  }

  @Test(arguments: [(199, false), (200, true), (204, true), (299, true), (300, false), (400, false)])
  func statuses200To299AreSuccess(_ status: Int, _ isSuccess: Bool) {
    #expect(Self.answer("", status: status).isSuccess == isSuccess)
  }

  /// The three places for an error code (protocol.md, 2.4), and those for a message.
  @Test(arguments: [
    (#"{"error":{"code":"refresh_token_expired","message":"Used."}}"#, "refresh_token_expired", "Used."),
    (#"{"error":"invalid_grant"}"#, "invalid_grant", "invalid_grant"),
    (#"{"code":"refresh_token_reused"}"#, "refresh_token_reused", "refresh_token_reused"),
    (#"{"error":{"code":"nested"},"code":"outer"}"#, "nested", "nested"),
    (#"{"error_description":"described","error":{"message":"m"}}"#, nil, "described"),
    (#"{"error":{"code":null}}"#, nil, ""), (#"{"error":{}}"#, nil, ""), ("{}", nil, ""), ("", nil, ""),
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
}

struct FormCodingTests {
  @Test(arguments: [
    ("", ""), ("AZaz09-._~", "AZaz09-._~"), ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"),
    ("%41", "%2541"),
    ("ä€😀", "%C3%A4%E2%82%AC%F0%9F%98%80"), ("\0\n\u{7F}", "%00%0A%7F"), ("*'()!", "%2A%27%28%29%21"),
    ("https://auth.openai.com/deviceauth/callback", "https%3A%2F%2Fauth.openai.com%2Fdeviceauth%2Fcallback"),
  ])
  func escapesReservedCharacters(_ text: String, _ escaped: String) {
    #expect(FormCoding.escape(text) == escaped)
    #expect(FormCoding.escape(SecretBytes(text.utf8)).text == escaped)
  }
}
