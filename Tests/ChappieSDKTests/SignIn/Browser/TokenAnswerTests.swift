// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory
import Testing

@testable import ChappieSDK

struct TokenAnswerTests {
  private static let now: Timestamp = 1_800_000_000

  private static func answer(_ members: String) throws(ChappieAuthError) -> TokenAnswer {
    let body = SecretBytes("{\(members)}".utf8)
    return try TokenAnswer(AuthHTTP.Response(status: 200, body: body, time: now, reading: nil))
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
    for (type, isBearer) in [(#","token_type":"BEARER""#, true), (#","token_type":"mac""#, false), ("", false)] {
      #expect(try Self.answer(#""access_token":"a""# + type).isBearer == isBearer, "\(type)")
    }
  }

  /// The issuer documents neither unit nor form of the time.
  @Test(
    arguments: [
      ("1800003240", 1_800_003_240), ("1800003239.2", 1_800_003_240), ("1800003240000", 1_800_003_240),
      ("\"2027-01-15T08:54:00Z\"", 1_800_003_240), ("\"2027-01-15T09:54:00+01:00\"", 1_800_003_240), ("0", 0),
      ("-1", nil), ("null", nil), ("\"soon\"", nil), ("1e400", nil), ("[]", nil), ("-9223372036854775808", nil),
      ("9.223372036854774784e21", nil), ("nan", nil), ("\"9999-12-31T23:59:59Z\"", .distantFuture),
    ] as [(String, Timestamp?)])
  func readsEachFormOfTheEarliestTime(_ text: String, _ time: Timestamp?) throws {
    #expect(try Self.answer(Self.plain + ",\"earliest_refresh_at\":\(text)").earliestRefresh == time)
  }

  /// A renewal is stored whatever its answer lacks.
  @Test(arguments: ["", "0", "-5", "1e300", "\"never\"", "31622401", "-9223372036854775808"])
  func aMissingLifetimeIsAnHour(_ lifetime: String) throws {
    let member = lifetime.isEmpty ? "" : ",\"expires_in\":\(lifetime)"
    #expect(try Self.answer(#""access_token":"a","token_type":"Bearer""# + member).expiresAt == Self.now + 3600)
  }

  @Test(arguments: [
    "", #""token_type":"bearer","expires_in":3600"#, #""access_token":"","token_type":"bearer","expires_in":3600"#,
    #""access_token":"a\u0020b","token_type":"Bearer","expires_in":3600"#,
  ])
  func refusesAnAnswerThatCannotBeUsed(_ members: String) {
    #expect(throws: ChappieAuthError.self) { try Self.answer(members) }
  }
}
