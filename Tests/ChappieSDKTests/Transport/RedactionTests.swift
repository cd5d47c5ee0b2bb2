import Testing

@testable import ChappieSDK

struct RedactionTests {
  private static let jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ"

  @Test(arguments: [
    jwt, "eyJhbGciOiJIUzI1NiJ9", "rt-1", "rt_short", "sk-proj-abc", "abcdefghijklmnopqrstuvwxyz012345",
    "0123456789abcdef0123456789abcdef", "c29tZSBsb25nIGJhc2U2NCB0ZXh0+/aGVyZQ==",
  ])
  func whatCouldBeATokenIsOut(_ token: String) {
    for text in [token, "Bearer \(token)", "the token \(token) is bad", "a\n\(token)\tb"] {
      let shown = Redaction.message(text)
      #expect(!shown.contains(token), "\(shown)")
      #expect(shown.contains("[…]"))
    }
  }

  /// Servers quote what they were sent.
  @Test(arguments: [
    "\"TOKEN\"", "'TOKEN'", "(TOKEN)", "token=TOKEN", "token:TOKEN", "{\"refresh_token\":\"TOKEN\"}", "`TOKEN`,",
    "<TOKEN>",
    "?code=TOKEN&state=1",
  ])
  func aTokenInsideAWordIsOut(_ form: String) {
    for token in [Self.jwt, "rt-1", "rt_abcdef", "sk-abc"] {
      let shown = Redaction.message(
        "bad " + form.split(separator: "TOKEN", omittingEmptySubsequences: false).joined(separator: token))
      #expect(!shown.contains(token), "\(shown)")
    }
  }

  @Test(arguments: [
    "", "Your refresh token has already been used.", "Unsupported parameter: max_output_tokens",
    "The 'gpt-5.5' model is not supported when using Codex with a ChatGPT account.",
    "upgrade to Plus: https://chatgpt.com/explore/plus.", "smart-phones are start-up partners", "a desk-top, risk-free",
    "Grüße aus dem Straßenverkehrsamt, 日本語もそのまま", "resp_0123456789abcdef",
  ])
  func proseStays(_ text: String) {
    #expect(Redaction.message(text) == text)
  }

  @Test func theTextIsOneLine() {
    #expect(Redaction.message("  one\n\ttwo\r\nthree  ") == "one two three")
  }

  /// A message ends up on terminals: it must not be able to move the cursor or ring a bell.
  @Test func controlCharactersAreOut() {
    let shown = Redaction.message("a\u{1B}[2Jb\u{7}c\0d\u{9B}31me\u{85}f\u{7F}")
    #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(shown.debugDescription)")
    #expect(shown.contains("a") && shown.contains("f"))
  }

  @Test func theTextIsCutShort() {
    let shown = Redaction.message(String(repeating: "word ", count: 1000))
    #expect(shown.count == 300)
    #expect(shown.hasSuffix("…"))
    #expect(Redaction.message(String(repeating: "é ", count: 150)).count == 299)
  }
}
