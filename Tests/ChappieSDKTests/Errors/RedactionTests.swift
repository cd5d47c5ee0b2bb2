// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

struct RedactionTests {
  private static let jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ"

  @Test(arguments: [
    jwt, "eyJhbGciOiJIUzI1NiJ9", "rt-1", "rt_short", "sk-proj-abc", "abcdefghijklmnopqrstuvwxyz012345",
    "0123456789abcdef0123456789abcdef", "c29tZSBsb25nIGJhc2U2NCB0ZXh0+/aGVyZQ==",
    // Pieces of unknown tokens.
    "Xk29dLq0PzRt", "aGVyZSBpcyBhIHRva2Vu9", "3f2a9c1b7d5e4f6a8b0c", "Qz8:Xk29dLq0PzRtWm",
  ])
  func removesPossibleTokens(_ token: String) {
    for text in [token, "Bearer \(token)", "the token \(token) is bad", "a\n\(token)\tb"] {
      let shown = Redaction.message(text)
      #expect(!shown.contains(token), "\(shown)")
      #expect(shown.contains("[…]"))
    }
  }

  /// A server may quote the request in its answer.
  @Test(arguments: [
    "\"TOKEN\"", "'TOKEN'", "(TOKEN)", "token=TOKEN", "token:TOKEN", #"{"refresh_token":"TOKEN"}"#, "`TOKEN`,",
    "<TOKEN>", "?code=TOKEN&state=1",
  ])
  func removesATokenInsideAWord(_ form: String) {
    for token in [Self.jwt, "rt-1", "rt_abcdef", "sk-abc"] {
      let shown = Redaction.message("bad " + form.replacing("TOKEN", with: token))
      #expect(!shown.contains(token), "\(shown)")
    }
  }

  @Test(arguments: [
    "", "Your refresh token has already been used.", "Unsupported parameter: max_output_tokens",
    "The 'gpt-5.5' model is not supported when using Codex with a ChatGPT account.",
    "upgrade to Plus: https://chatgpt.com/explore/plus.", "smart-phones are start-up partners", "a desk-top, risk-free",
    "Grüße aus dem Straßenverkehrsamt, 日本語もそのまま", "resp_0123456789abcdef",
    // What joins letters stays.
    "می\u{200C}خواهم 👩\u{200D}🚀",
  ])
  func keepsProse(_ text: String) {
    #expect(Redaction.message(text) == text)
  }

  /// A server's sentence could read backwards, or hide a part.
  @Test(arguments: [
    "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{200E}", "\u{200F}", "\u{061C}", "\u{200B}", "\u{FEFF}",
    "\u{AD}", "\u{E0041}",
  ])
  func removesWhatReordersAndHides(_ sign: String) {
    #expect(Redaction.message("access\(sign) is \(sign)denied\(sign)") == "access is denied")
    #expect(Redaction.message("ey\(sign)JhbGciOiJIUzI1NiJ9") == "[…]")
  }

  // MARK: Known tokens

  /// An opaque token: no part of it looks like a token.
  private static let opaque = "correct-horse-battery-staple.all-words-of-this.are-in-a-book"

  @Test func removesPartsOfAKnownToken() {
    let token = SecretBytes(Self.opaque.utf8)
    TokensAtHand.note(token)
    for length in [8, 11, 20, 31] {
      for start in stride(from: 0, through: Self.opaque.count - length, by: 3) {
        let part = String(Self.opaque.dropFirst(start).prefix(length))
        for form in [part, "a (\(part)) b", "token:\(part),", "x\n\(part)"] {
          #expect(!Redaction.message(form).contains(part), "\(form)")
        }
      }
    }
    #expect(Redaction.message("the horse has a battery") == "the horse has a battery")
    withExtendedLifetime(token) {}
  }

  /// A malicious server may cut a token into pieces that are too short to recognise one by one.
  @Test(arguments: [1, 3, 7]) func removesAKnownTokenInSmallPieces(_ length: Int) {
    let token = SecretBytes(Self.opaque.utf8)
    TokensAtHand.note(token)
    let text = Array(Self.opaque)
    let pieces = stride(from: 0, to: text.count, by: length).map { String(text[$0..<min($0 + length, text.count)]) }
    let shown = Redaction.message("here: " + pieces.joined(separator: " ") + " that was it")
    #expect(shown.hasPrefix("here: […] […]") && shown.hasSuffix("that was it"), "\(shown)")
    #expect(!pieces.filter { $0.count > 2 }.contains { shown.contains($0) }, "\(shown)")
    withExtendedLifetime(token) {}
  }

  @Test func forgetsAReleasedToken() async throws {
    var token: SecretBytes? = SecretBytes("some-lines-in-prose-and-more".utf8)
    if let token { TokensAtHand.note(token) }
    #expect(Redaction.message("lines-in-prose") == "[…]")
    weak let gone = token
    token = nil
    // Other tests read all known tokens and keep each for a moment.
    while gone != nil { try await Task.sleep(for: .milliseconds(1)) }
    #expect(Redaction.message("lines-in-prose") == "lines-in-prose")
  }

  // MARK: Names

  @Test(arguments: [
    "resp_0123456789abcdef", "resp_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f607182", "call_Xk29dLq0PzRtWm3nVb7cHs5f",
    "call-1", "search.web", "a:b|c", "019a9c1b-7d5e-7f6a-8b0c-0123456789ab",
  ])
  func keepsAName(_ name: String) {
    #expect(Redaction.name(name) == name)
  }

  @Test(arguments: [
    "", "a b", "a\nb", "\u{1B}[2J", "naïve", "a\"b", String(repeating: "a", count: 129), jwt, "rt-1", "call_1.rt_abc",
    "sk-proj-abc", "resp_" + String(repeating: "Xk29dLq0", count: 5), "<b>",
  ])
  func refusesAnInvalidName(_ name: String) {
    #expect(Redaction.name(name) == nil)
  }

  @Test func refusesANameThatIsPartOfAKnownToken() {
    let token = SecretBytes("another-opaque-token-of-words".utf8)
    #expect(Redaction.name("opaque-token") == "opaque-token")
    TokensAtHand.note(token)
    #expect(Redaction.name("opaque-token") == nil)
    #expect(Redaction.name("opaque") == "opaque")
    withExtendedLifetime(token) {}
  }

  /// Terminals show a message, so it must not move the cursor or ring a bell.
  @Test func messageIsOneShortLine() {
    #expect(Redaction.message("  one\n\ttwo\r\nthree  ") == "one two three")
    let safe = Redaction.message("a\u{1B}[2Jb\u{7}c\0d\u{9B}31me\u{85}f\u{7F}")
    #expect(!safe.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(safe.debugDescription)")
    #expect(safe.contains("a") && safe.contains("f"))
    let short = Redaction.message(String(repeating: "word ", count: 1000))
    #expect(short.count == 300 && short.hasSuffix("…"))
    #expect(Redaction.message(String(repeating: "é ", count: 150)).count == 299)
  }
}
