// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// What an issuer tells: its addresses, and the answer with the tokens.
struct IssuerAnswerTests {
  // MARK: Addresses

  private static func endpoints(
    _ changes: [String: ChappieJSONValue] = [:]
  ) throws(ChappieAuthError) -> IssuerEndpoints {
    let issuer = "https://issuer.example"
    let document: [String: ChappieJSONValue] = [
      "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
      "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
      "revocation_endpoint": .string(issuer + "/revoke"),
    ]
    return try IssuerEndpoints(.object(document.merging(changes) { $1 }), issuer: issuer)
  }

  @Test func readsTheAddresses() throws {
    let endpoints = try Self.endpoints()
    #expect(endpoints.token == "https://issuer.example/token")
    #expect(endpoints.revocation == "https://issuer.example/revoke")
    #expect(try Self.endpoints(["revocation_endpoint": .null]).revocation == nil)
  }

  /// An address at another server would get the user's tokens.
  @Test(arguments: [
    "https://other.example/token", "http://issuer.example/token", "https://issuer.example.other/token",
    "https://issuer.example:444/token", "https://issuer.example@other.example/token",
    #"https://issuer.example\@other.example/token"#, "//issuer.example/token", "/token", "", "token",
    "https://issuer.example%2eother/token", "HTTPS://other.example/token", "https://issuer.example/token#part",
    "https://issuer.example/" + String(repeating: "a", count: 2048),
  ])
  func refusesAnAddressAtAnotherServer(_ address: String) {
    for key in ["authorization_endpoint", "token_endpoint", "jwks_uri", "revocation_endpoint"] {
      #expect(throws: ChappieAuthError.self) { try Self.endpoints([key: .string(address)]) }
    }
  }

  @Test(
    arguments: [
      ("issuer", "https://issuer.example/"), ("issuer", "https://other.example"), ("issuer", "http://issuer.example"),
      ("issuer", ""), ("authorization_endpoint", .null), ("token_endpoint", .null), ("jwks_uri", .null),
    ] as [(String, ChappieJSONValue)])
  func refusesAnotherIssuerAndADocumentWithoutAnAddress(_ key: String, _ value: ChappieJSONValue) {
    #expect(throws: ChappieAuthError.self) { try Self.endpoints([key: value]) }
  }

  // MARK: Tokens

  private static let now: Timestamp = 1_800_000_000

  private static func answer(_ members: String) -> AuthHTTP.Response {
    AuthHTTP.Response(status: 200, body: SecretBytes("{\(members)}".utf8), time: now, reading: nil)
  }

  private static func credential(_ members: String) throws(ChappieAuthError) -> Credential {
    let grant = RegisteredGrant(clientID: "c", subject: "s", scopes: ["y"], expiresAt: now)
    return try Credential(answer(members), CredentialServers(issuer: "i", backend: "b"), grant)
  }

  private static let plain = #""access_token":"a","token_type":"BEARER","expires_in":3600"#

  @Test func readsAllMembers() throws {
    let read = try Self.credential(Self.plain + #","refresh_token":"r","id_token":"i","scope":"openid x""#)
    #expect(read.accessToken.text == "a" && read.refreshToken?.text == "r" && read.idToken?.text == "i")
    #expect(
      read.registration
        == RegisteredGrant(clientID: "c", subject: "s", scopes: ["openid", "x"], expiresAt: Self.now + 3600))
    #expect(Self.answer(Self.plain).isBearer)
    for type in [#","token_type":"mac""#, ""] { #expect(!Self.answer(#""access_token":"a""# + type).isBearer) }
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
    #expect(try Self.credential(Self.plain + ",\"earliest_refresh_at\":\(text)").registration?.earliestRefresh == time)
  }

  /// A renewal is stored whatever its answer lacks.
  @Test(arguments: ["", "0", "-5", "1e300", "\"never\"", "31622401", "-9223372036854775808"])
  func aMissingLifetimeIsAnHour(_ lifetime: String) throws {
    let member = lifetime.isEmpty ? "" : ",\"expires_in\":\(lifetime)"
    let read = try Self.credential(#""access_token":"a","token_type":"Bearer""# + member)
    #expect(read.registration?.expiresAt == Self.now + 3600 && read.registration?.scopes == ["y"])
  }

  @Test(arguments: [
    "", #""token_type":"bearer","expires_in":3600"#, #""access_token":"","token_type":"bearer","expires_in":3600"#,
    #""access_token":"a\u0020b","token_type":"Bearer","expires_in":3600"#,
  ])
  func refusesAnAnswerThatCannotBeUsed(_ members: String) {
    #expect(throws: ChappieAuthError.self) { try Self.credential(members) }
  }
}
