import FoundationEssentials
import SecretMemory
import Testing

@testable import ChappieSDK

struct TokenClaimsTests {
  /// The example of protocol.md.
  private static let full = """
    {"email":"a@b","exp":1795250150,"https://api.openai.com/profile":{"email":"p@b"},
    "https://api.openai.com/auth":{"chatgpt_account_id":"acc","chatgpt_user_id":"user-chat","user_id":"user",
    "chatgpt_plan_type":"plus","chatgpt_account_is_fedramp":true}}
    """

  @Test(arguments: [false, true])
  func readsAllClaims(_ padded: Bool) throws {
    let claims = try #require(TokenClaims(TestTokens.jwt(Self.full, padded: padded)))
    #expect(claims.email == "a@b")
    #expect(claims.expiresAt == 1_795_250_150)
    #expect(claims.accountID == "acc")
    #expect(claims.userID == "user-chat")
    #expect(claims.plan == "plus")
    #expect(claims.isFedRAMP)
  }

  @Test(arguments: [
    "{}", "{\"email\":null,\"exp\":null}", "{\"https://api.openai.com/auth\":{}}",
    "{\"https://api.openai.com/profile\":{}}",
    "{\"other\":[1,2,{\"a\":null}]}",
  ])
  func acceptsMissingClaims(_ payload: String) throws {
    let claims = try #require(TokenClaims(TestTokens.jwt(payload)))
    #expect(claims.email == nil && claims.expiresAt == nil && claims.accountID == nil)
  }

  /// Payloads of each length modulo 3, with characters that differ between base64 and base64url.
  @Test(arguments: ["?", "??", "???", "ÿÿÿ>>>", "~~~???"])
  func decodesBase64URLOfAnyLength(_ text: String) {
    for padded in [false, true] {
      #expect(TokenClaims(TestTokens.jwt("{\"email\":\"\(text)\"}", padded: padded))?.email == text)
    }
  }

  @Test(arguments: [
    "", "opaque", "a.b", "..", "a..c", ".e30.x.y", "a.e30", "a.e30.b.c", "a.!!!.c", "a.bm8ganNvbg.c", "a.W10.c",
    "a.e.c",
    "a.e30\n.c",
  ])
  func opaqueTokenHasNoClaims(_ token: String) {
    #expect(TokenClaims(SecretBytes(token.utf8)) == nil)
  }

  // MARK: Derived facts

  private static func credential(id: String?, access: String = "{}") -> Credential {
    Credential(
      method: "fake", servers: .test, accessToken: TestTokens.jwt(access), refreshToken: nil,
      idToken: id.map { TestTokens.jwt($0) }, renewedAt: 0)
  }

  @Test func accountComesFromTheIDToken() {
    let info = Self.credential(id: Self.full, access: "{\"email\":\"other@b\"}").claimedAccount
    #expect(
      info
        == ChappieAccountInfo(
          email: "a@b", userID: "user-chat", accountID: "acc", plan: ChappiePlan(rawValue: "plus")))
  }

  @Test func profileAndPlainUserIDReplaceMissingClaims() {
    let info = Self.credential(
      id: "{\"https://api.openai.com/profile\":{\"email\":\"p@b\"},\"https://api.openai.com/auth\":{\"user_id\":\"u\"}}"
    ).claimedAccount
    #expect(info == ChappieAccountInfo(email: "p@b", userID: "u"))
  }

  @Test func accessTokenReplacesAMissingOrOpaqueIDToken() {
    #expect(Self.credential(id: nil, access: Self.full).claimedAccount.email == "a@b")
    var opaque = Self.credential(id: nil, access: Self.full)
    opaque.idToken = SecretBytes("opaque".utf8)
    #expect(opaque.claimedAccount.accountID == "acc")
    opaque.accessToken = SecretBytes("opaque".utf8)
    #expect(opaque.claimedAccount == ChappieAccountInfo())
  }

  @Test func fedRAMPComesFromTheIDToken() {
    #expect(Self.credential(id: Self.full).claimsFedRAMP)
    #expect(!Self.credential(id: "{}").claimsFedRAMP)
    #expect(
      !Self.credential(id: "{\"https://api.openai.com/auth\":{\"chatgpt_account_is_fedramp\":false}}").claimsFedRAMP)
    #expect(!Self.credential(id: nil).claimsFedRAMP)
  }

  // MARK: The time of a refresh

  private static let now: Int64 = 1_800_000_000

  @Test(
    arguments: [
      (-1000, true), (0, true), (299, true), (300, true), (301, false), (320, false), (864_000, false),
    ] as [(Int64, Bool)])
  func tokenIsDueFiveMinutesBeforeItExpires(_ secondsLeft: Int64, _ isDue: Bool) {
    #expect(Credential.test("t", expiresAt: Self.now + secondsLeft).claimedValidity.isDue(at: Self.now) == isDue)
  }

  @Test func fractionOfASecondDelaysTheRefresh() {
    var credential = Credential.test("t")
    credential.accessToken = TestTokens.jwt("{\"exp\":\(Self.now + 300).5}")
    #expect(!credential.claimedValidity.isDue(at: Self.now))
  }

  @Test(
    arguments: [
      (0, false), (7 * 86_400, false), (8 * 86_400, false), (8 * 86_400 + 1, true), (9 * 86_400, true), (-60, false),
    ] as [(Int64, Bool)])
  func opaqueTokenIsDueAfterEightDays(_ age: Int64, _ isDue: Bool) {
    var credential = Credential.test("t", renewedAt: Self.now - age)
    for token in [SecretBytes("opaque".utf8), TestTokens.jwt("{}")] {
      credential.accessToken = token
      #expect(credential.claimedValidity.isDue(at: Self.now) == isDue)
    }
  }

  @Test(arguments: [(-1, true), (0, true), (1, false), (300, false)] as [(Int64, Bool)])
  func tokenExpiresAtItsExpiryClaim(_ secondsLeft: Int64, _ isExpired: Bool) {
    #expect(
      Credential.test("t", expiresAt: Self.now + secondsLeft).claimedValidity.isExpired(at: Self.now) == isExpired)
  }

  @Test func opaqueTokenNeverCountsAsExpired() {
    var credential = Credential.test("t", renewedAt: 0)
    credential.accessToken = SecretBytes("opaque".utf8)
    #expect(!credential.claimedValidity.isExpired(at: Self.now))
  }
}
