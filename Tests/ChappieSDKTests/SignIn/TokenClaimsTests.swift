// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Platform
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
    let info = Self.credential(id: Self.full, access: "{\"email\":\"other@b\"}").claimedFacts.account
    #expect(
      info
        == ChappieAccountInfo(
          email: "a@b", userID: "user-chat", accountID: "acc", plan: ChappiePlan(rawValue: "plus")))
  }

  @Test func profileAndPlainUserIDReplaceMissingClaims() {
    let info = Self.credential(
      id: "{\"https://api.openai.com/profile\":{\"email\":\"p@b\"},\"https://api.openai.com/auth\":{\"user_id\":\"u\"}}"
    ).claimedFacts.account
    #expect(info == ChappieAccountInfo(email: "p@b", userID: "u"))
  }

  @Test func accessTokenReplacesAMissingOrOpaqueIDToken() {
    #expect(Self.credential(id: nil, access: Self.full).claimedFacts.account.email == "a@b")
    var opaque = Self.credential(id: nil, access: Self.full)
    opaque.idToken = SecretBytes("opaque".utf8)
    #expect(opaque.claimedFacts.account.accountID == "acc")
    opaque.accessToken = SecretBytes("opaque".utf8)
    #expect(opaque.claimedFacts.account == ChappieAccountInfo())
  }

  @Test func fedRAMPComesFromTheIDToken() {
    #expect(Self.namesFedRAMP(Self.full))
    #expect(!Self.namesFedRAMP("{}"))
    #expect(!Self.namesFedRAMP("{\"https://api.openai.com/auth\":{\"chatgpt_account_is_fedramp\":false}}"))
    #expect(!Self.namesFedRAMP(nil))
  }

  private static func namesFedRAMP(_ id: String?) -> Bool {
    credential(id: id).claimedFacts.headers.contains { $0 == ("x-openai-fedramp", "true") }
  }

  // MARK: The time of a refresh

  private static let now: Timestamp = 1_800_000_000

  @Test func tokenIsDueFiveMinutesBeforeItExpires() {
    let validity = Credential.test("t", expiresAt: Self.now.unixSeconds).claimedFacts.validity
    #expect(validity.expiresAt == Self.now && validity.dueAt == Self.now - 300)
  }

  @Test func fractionOfASecondDelaysTheRefresh() {
    var credential = Credential.test("t")
    credential.accessToken = TestTokens.jwt("{\"exp\":\(Self.now.unixSeconds).5}")
    #expect(credential.claimedFacts.validity.expiresAt == Self.now + 1)
  }

  @Test func opaqueTokenIsDueAfterEightDaysAndNeverExpires() {
    var credential = Credential.test("t", renewedAt: Self.now)
    for token in [SecretBytes("opaque".utf8), TestTokens.jwt("{}")] {
      credential.accessToken = token
      #expect(credential.claimedFacts.validity.dueAt == Self.now + 691_201)
      #expect(credential.claimedFacts.validity.expiresAt == nil)
    }
  }

  @Test(arguments: [
    "-9223372036854775808", "9223372036854775807", "-1", "1e308", "-1e308", "253402300800", "null", "[]",
  ])
  func aTimeThatIsNoneCountsAsMissing(_ time: String) {
    var credential = Credential.test("t", renewedAt: Self.now)
    credential.accessToken = TestTokens.jwt("{\"exp\":\(time)}")
    #expect(credential.claimedFacts.validity.expiresAt == nil)
    #expect(credential.claimedFacts.validity.dueAt == Self.now + 691_201)
  }

  @Test(arguments: ["0", "1", "253402300799"])
  func aFarTimeEndsNothing(_ time: String) {
    var credential = Credential.test("t")
    credential.accessToken = TestTokens.jwt("{\"exp\":\(time)}")
    #expect(credential.claimedFacts.validity.expiresAt != nil)
  }
}
