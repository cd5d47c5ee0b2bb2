// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

@testable import ChappieSDK

struct TokenClaimsTests {
  /// The example of protocol.md.
  private static let full = """
    {"email":"a@b","exp":1795250150,"https://api.openai.com/profile":{"email":"p@b"},
    "https://api.openai.com/auth":{"chatgpt_account_id":"acc","chatgpt_user_id":"user-chat","user_id":"user",
    "chatgpt_plan_type":"plus","chatgpt_account_is_fedramp":true}}
    """

  @Test func readsAllClaims() throws {
    let claims = try #require(TokenClaims(TestTokens.jwt(Self.full)))
    #expect(claims.email == "a@b")
    #expect(claims.expiresAt == 1_795_250_150)
    #expect(claims.accountID == "acc")
    #expect(claims.userID == "user-chat")
    #expect(claims.plan == "plus")
    #expect(claims.isFedRAMP)
  }

  @Test(arguments: [
    "{\"email\":null,\"exp\":null}", "{\"https://api.openai.com/auth\":{},\"https://api.openai.com/profile\":{}}",
    "{\"other\":[1,2,{\"a\":null}]}",
  ])
  func acceptsMissingClaims(_ payload: String) throws {
    let claims = try #require(TokenClaims(TestTokens.jwt(payload)))
    #expect(claims.email == nil && claims.expiresAt == nil && claims.accountID == nil)
  }

  /// Payloads of each length modulo 3, with characters that differ between base64 and base64url.
  @Test(arguments: ["?", "??", "???", "ÿÿÿ>>>", "~~~???"], [false, true])
  func decodesBase64URLOfAnyLength(_ text: String, _ padded: Bool) {
    #expect(TokenClaims(TestTokens.jwt("{\"email\":\"\(text)\"}", padded: padded))?.email == text)
  }

  @Test(arguments: [
    "", "opaque", "a.b", "..", "a..c", ".e30.x.y", "a.e30", "a.e30.b.c", "a.!!!.c", "a.bm8ganNvbg.c", "a.W10.c",
    "a.e.c", "a.e30\n.c",
  ])
  func opaqueTokenHasNoClaims(_ token: String) {
    #expect(TokenClaims(SecretBytes(token.utf8)) == nil)
  }

  /// Of each name, one of those in protocol.md, 2.1.
  @Test(arguments: [
    ("prolite", "Pro Lite"), ("self_serve_business_prolite", "Business"), ("hc", "Enterprise"), ("edu_plus", "Edu"),
    ("PLUS", "Plus"), ("brand_new", "brand_new"),
  ])
  func plansHaveDisplayNames(_ rawValue: String, _ name: String) {
    #expect(ChappiePlan(rawValue: rawValue).displayName == name)
  }

  // MARK: Derived facts

  private static func credential(id: String?, access: String = "{}") -> Credential {
    Credential(
      method: "fake", servers: .test, accessToken: TestTokens.jwt(access), refreshToken: nil,
      idToken: id.map { TestTokens.jwt($0) }, renewedAt: 0)
  }

  @Test func accountComesFromTheIDToken() {
    let account = ChappieAccountInfo(
      email: "a@b", userID: "user-chat", accountID: "acc", plan: ChappiePlan(rawValue: "plus"))
    #expect(Self.credential(id: Self.full, access: "{\"email\":\"other@b\"}").claimedFacts.account == account)
    // The profile and the plain user id replace missing claims.
    let info = Self.credential(
      id: "{\"https://api.openai.com/profile\":{\"email\":\"p@b\"},\"https://api.openai.com/auth\":{\"user_id\":\"u\"}}"
    ).claimedFacts.account
    #expect(info == ChappieAccountInfo(email: "p@b", userID: "u"))
    // The access token replaces a missing or opaque ID token.
    var opaque = Self.credential(id: nil, access: Self.full)
    #expect(opaque.claimedFacts.account == account)
    opaque.idToken = SecretBytes("opaque".utf8)
    #expect(opaque.claimedFacts.account == account)
    opaque.accessToken = SecretBytes("opaque".utf8)
    #expect(opaque.claimedFacts.account == ChappieAccountInfo())
  }

  @Test func fedRAMPComesFromTheIDToken() {
    for id in [Self.full, "{}", "{\"https://api.openai.com/auth\":{\"chatgpt_account_is_fedramp\":false}}", nil] {
      let headers = Self.credential(id: id).claimedFacts.headers
      #expect(headers.contains { $0 == ("x-openai-fedramp", "true") } == (id == Self.full))
    }
  }

  // MARK: The time of a refresh

  private static let now: Timestamp = 1_800_000_000

  private static func validity(_ accessToken: String) -> TokenValidity {
    var credential = Credential.test("t", renewedAt: now)
    credential.accessToken = accessToken == "opaque" ? SecretBytes("opaque".utf8) : TestTokens.jwt(accessToken)
    return credential.claimedFacts.validity
  }

  /// A fraction of a second delays the refresh. A far time ends nothing.
  @Test(
    arguments: [
      ("1800000000", now), ("1800000000.5", now + 1), ("0", 0), ("1", 1), ("253402300799", 253_402_300_799),
    ] as [(String, Timestamp)])
  func tokenIsDueFiveMinutesBeforeItExpires(_ exp: String, _ time: Timestamp) {
    let validity = Self.validity("{\"exp\":\(exp)}")
    #expect(validity.expiresAt == time && validity.dueAt == time - 300)
  }

  /// A time that is none counts as missing.
  @Test(
    arguments: [
      "-9223372036854775808", "9223372036854775807", "-1", "1e308", "-1e308", "253402300800", "null", "[]", nil,
    ] as [String?])
  func otherTokensAreDueAfterEightDaysAndNeverExpire(_ time: String?) {
    let validity = Self.validity(time.map { "{\"exp\":\($0)}" } ?? "opaque")
    #expect(validity.dueAt == Self.now + 691_201)
    #expect(validity.expiresAt == nil)
  }
}
