// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

@testable import ChappieSDK

struct CredentialCodingTests {
  private static func decode(_ text: String) -> Credential? {
    CredentialCoding.decode(SecretBytes(text.utf8))
  }

  /// With all members, and with none that may be missing.
  @Test(
    arguments: [
      .tokenExchangeFailed(status: 400, message: "nö"), .ended("it is “over”"), .missingRefreshToken, nil,
    ] as [ChappieAuthError?])
  func codingRoundTrips(_ refusal: ChappieAuthError?) throws {
    var credential = Credential.test("a", renewedAt: 1_800_000_000, canBeRenewed: refusal != nil)
    if let refusal {
      let boot = BootTime(bootID: "3d1b-9", seconds: 1234)
      credential.refusal = refusal
      credential.refusedAt = boot
      let local = ClockReading(wall: 1_900_000_000, boot: boot)
      let reading = try #require(IssuerReading(issuer: 1_800_000_000, local: local))
      credential.issuerReading = reading
    } else {
      credential.idToken = nil
    }
    let read = try #require(CredentialCoding.decode(CredentialCoding.encode(credential)))
    #expect(read.method == "device-code")
    #expect(read.servers == .test)
    #expect(read.renewedAt == 1_800_000_000)
    #expect(read.accessToken.isEqual(to: credential.accessToken))
    #expect(read.refreshToken?.text == credential.refreshToken?.text)
    #expect(read.idToken?.text == credential.idToken?.text)
    #expect(read.refusal == refusal)
    #expect(read.refusedAt == credential.refusedAt)
    #expect(read.issuerReading == credential.issuerReading)
  }

  @Test func aRefusalOfAnOlderVersionHasAReason() throws {
    var credential = Credential.test("a", renewedAt: 7)
    #expect(credential.reasonForRefusal == .ended("the sign-in server has refused to renew it"))
    credential.redeemedAt = .now
    #expect(credential.reasonForRefusal == .ended("the answer to its renewal was lost"))
  }

  @Test func encodesToOneLineOfASCIIJSON() throws {
    let credential = Credential.test("a", renewedAt: 7)
    let line = try CredentialCoding.encode(credential).text
    #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    let json = try ChappieJSONValue(foundation: line.utf8)
    #expect(json["version"] == .number(2))
    #expect(json["renewed_at"] == .number(7))
    #expect(json["access_token"] == .string(credential.accessToken.text))
  }

  @Test func readsNoTokenThatIsTooLongForAHeader() {
    var members = Self.members
    for length in [65_536, 65_537] {
      members["access_token"] = "\"\(String(repeating: "a", count: length))\""
      #expect(Self.decode(Self.line(members))?.accessToken.count == (length > 65_536 ? nil : length))
    }
  }

  @Test(arguments: ["a b", "a\"b", "a\\b", "a\nb", "tökén", "a\0"])
  func refusesATokenWithForbiddenCharacters(_ text: String) {
    let token = SecretBytes(text.utf8)
    for place in [nil, \.refreshToken, \.idToken] as [WritableKeyPath<Credential, SecretBytes?>?] {
      var credential = Credential.test("a")
      if let place { credential[keyPath: place] = token } else { credential.accessToken = token }
      let error = #expect(throws: ChappieAuthError.self) { try CredentialCoding.encode(credential) }
      #expect(error?.description.contains(text) == false)
    }
  }

  /// What a credential needs, and one unknown member.
  private static let members: [String: String] = [
    "access_token": #""t""#, "method": #""m""#, "issuer": #""i""#, "backend": #""b""#, "renewed_at": "1", "more": "[1]",
  ]
  private static let whole = line(members)

  private static func line(_ members: [String: String]) -> String {
    "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  /// A line without servers is no credential.
  @Test(
    arguments: [
      ("access_token", nil), ("access_token", "\"\""), ("access_token", "7"), ("access_token", #""a\u0062""#),
      ("access_token", #""a b""#), ("method", nil), ("method", "null"), ("issuer", nil), ("backend", nil),
      ("backend", "null"),
    ] as [(String, String?)])
  func refusesALineWithoutAMember(_ name: String, _ value: String?) {
    var members = Self.members
    members[name] = value
    #expect(Self.decode(Self.line(members)) == nil)
  }

  @Test func refusesGarbage() throws {
    let read = try #require(Self.decode(Self.whole))
    #expect(read.method == "m" && read.renewedAt == 1 && read.accessToken.text == "t" && read.refreshToken == nil)
    #expect(read.servers == CredentialServers(issuer: "i", backend: "b"))
    for text in ["", "null", "{}", "not json", "[]", String(Self.whole.dropLast())] {
      #expect(Self.decode(text) == nil, "\(text)")
    }
    #expect(CredentialCoding.decode(SecretBytes([0xFF, 0, 0x7B])) == nil)
  }

  @Test(arguments: ["-9223372036854775808", "9223372036854775807", "-1", "1.5", "99999999999999999999", "\"x\"", "{}"])
  func aDamagedTimeCostsOnlyItself(_ time: String) throws {
    var members = Self.members
    for name in [
      "renewed_at", "redeemed_at", "refused_uptime", "expires_at", "earliest_refresh_at", "issuer_time", "issuer_wall",
      "issuer_uptime",
    ] {
      members[name] = time
    }
    let others = ["refused_boot": "b", "issuer_boot": "b", "client_id": "c", "subject": "s", "scope": "x"]
    for (name, value) in others { members[name] = "\"\(value)\"" }
    let read = try #require(Self.decode(Self.line(members)))
    #expect(read.renewedAt == .distantPast)
    #expect(read.issuerReading == nil)
    #expect(read.registration?.clientID == "c")
    #expect(read.registration?.expiresAt == .distantPast && read.registration?.earliestRefresh == nil)
    // Neither a refusal nor the mark of a token that was sent is lost.
    let refusal = try #require(read.refusedAt)
    #expect(BootTime(bootID: "b", seconds: 600).minimumSeconds(since: refusal) >= 0)
    if time != "{}" { #expect(read.redeemedAt != nil) }
  }

  @Test(arguments: [
    ("AZaz09-._~", "AZaz09-._~"), ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"), ("%41", "%2541"),
    ("ä€😀", "%C3%A4%E2%82%AC%F0%9F%98%80"), ("\0\n\u{7F}", "%00%0A%7F"), ("*'()!:/", "%2A%27%28%29%21%3A%2F"),
  ])
  func escapesReservedCharacters(_ text: String, _ escaped: String) {
    #expect(FormCoding.escape(text) == escaped)
    #expect(FormCoding.escape(SecretBytes(text.utf8)).text == escaped)
  }
}
