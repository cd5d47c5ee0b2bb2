import GLibBridge
import SecretMemory
import Testing

@testable import ChappieSDK

struct TokenAnswerTests {
  private static let now: Int64 = 1_800_000_000

  private static func answer(_ members: String, at time: Int64? = now) throws(ChappieAuthError) -> TokenAnswer {
    let body = SecretBytes("{\(members)}".utf8)
    return try TokenAnswer(AuthHTTP.Response(status: 200, body: body, time: time), now: now)
  }

  private static let plain = #""access_token":"a","token_type":"bearer","expires_in":3600"#

  @Test func readsAllMembers() throws {
    let answer = try Self.answer(
      Self.plain + #","refresh_token":"r","id_token":"i","scope":"openid x","earliest_refresh_at":1800003240"#)
    #expect(answer.accessToken.isEqual(to: SecretBytes("a".utf8)))
    #expect(answer.refreshToken?.isEqual(to: SecretBytes("r".utf8)) == true)
    #expect(answer.idToken?.isEqual(to: SecretBytes("i".utf8)) == true)
    #expect(answer.scopes == ["openid", "x"])
    #expect(answer.expiresAt == Self.now + 3600)
    #expect(answer.earliestRefresh == 1_800_003_240)
  }

  /// The issuer documents neither unit nor form of the time.
  @Test(
    arguments: [
      ("1800003240", 1_800_003_240), ("1800003239.2", 1_800_003_240), ("1800003240000", 1_800_003_240),
      ("\"2027-01-15T08:54:00Z\"", 1_800_003_240), ("\"2027-01-15T09:54:00+01:00\"", 1_800_003_240), ("0", nil),
      ("-1", nil), ("null", nil), ("\"soon\"", nil), ("1e400", nil), ("[]", nil),
    ] as [(String, Int64?)])
  func readsEachFormOfTheEarliestTime(_ text: String, _ time: Int64?) throws {
    #expect(try Self.answer(Self.plain + ",\"earliest_refresh_at\":\(text)").earliestRefresh == time)
  }

  /// A clock that is fast here must not make the refresh early for the server, which then takes it for a stolen token.
  @Test(arguments: [(0, 0), (2, 0), (-2, 0), (600, 601), (-600, -599)] as [(Int64, Int64)])
  func theEarliestTimeIsTheServersTime(_ fast: Int64, _ later: Int64) throws {
    let answer = try Self.answer(Self.plain + #","earliest_refresh_at":1800003240"#, at: Self.now - fast)
    #expect(answer.earliestRefresh == 1_800_003_240 + later)
  }

  @Test func withoutAServerTimeTheClocksCountAsEqual() throws {
    let answer = try Self.answer(Self.plain + #","earliest_refresh_at":1800003240"#, at: nil)
    #expect(answer.earliestRefresh == 1_800_003_240)
  }

  @Test(arguments: [
    "", #""token_type":"bearer","expires_in":3600"#, #""access_token":"","token_type":"bearer","expires_in":3600"#,
    #""access_token":"a","token_type":"mac","expires_in":3600"#, #""access_token":"a","expires_in":3600"#,
    #""access_token":"a","token_type":"Bearer""#, #""access_token":"a","token_type":"Bearer","expires_in":0"#,
    #""access_token":"a","token_type":"Bearer","expires_in":-5"#,
    #""access_token":"a","token_type":"Bearer","expires_in":1e300"#,
    #""access_token":"a","token_type":"Bearer","expires_in":"never""#,
    #""access_token":"a\u0020b","token_type":"Bearer","expires_in":3600"#,
  ])
  func refusesAnAnswerThatCannotBeUsed(_ members: String) {
    #expect(throws: ChappieAuthError.self) { try Self.answer(members) }
  }
}
