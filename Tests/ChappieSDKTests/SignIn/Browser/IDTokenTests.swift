// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import HTTPTestServer
import Platform
import SecretMemory
import Signatures
import Signing
import Testing

@testable import ChappieSDK

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct IDTokenTests {
  private static let key = Result { try RSAPrivateKey() }
  private nonisolated static let now = UnixTime.now

  /// An issuer that publishes the key under the ids in `keyIDs`.
  @GLibActor
  private final class Issuer {
    var keyIDs = ["k1"]
    private(set) var questions = 0
    private var server: HTTPServer?

    init() throws {
      server = try HTTPServer { [unowned self] request in
        if request.path.hasSuffix("openid-configuration") {
          return .whole(HTTPServerResponse(status: 200, type: "application/json", description))
        }
        questions += 1
        return .whole(HTTPServerResponse(status: 200, type: "application/json", try keys()))
      }
    }

    var address: String { "http://127.0.0.1:\(server?.port ?? 0)" }

    private var description: String {
      """
      {"issuer":"\(address)","authorization_endpoint":"\(address)/a","token_endpoint":"\(address)/t",
      "jwks_uri":"\(address)/k"}
      """
    }

    private func keys() throws -> String {
      let key = try IDTokenTests.key.get().publicKey
      let keys = keyIDs.map { id in
        """
        {"kty":"RSA","kid":"\(id)","use":"sig","alg":"RS256","n":"\(Base64URL.encode(key.modulus))",
        "e":"\(Base64URL.encode(key.exponent))"}
        """
      }
      return "{\"keys\":[\(keys.joined(separator: ","))]}"
    }
  }

  private static func claims(_ issuer: String, _ changes: [String: ChappieJSONValue] = [:]) -> ChappieJSONValue {
    let claims: [String: ChappieJSONValue] = [
      "iss": .string(issuer), "aud": ["client"], "sub": "user", "nonce": "n-1", "iat": .number(Double(now)),
      "exp": .number(Double(now + 60)),
    ]
    return .object(claims.merging(changes) { $1 })
  }

  private static func token(
    _ claims: ChappieJSONValue, header: String = #"{"alg":"RS256","kid":"k1"}"#
  ) throws -> SecretBytes {
    let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims.encoded)
    let signature = try key.get().signature(of: Array(signed.utf8))
    return SecretBytes("\(signed).\(Base64URL.encode(signature))".utf8)
  }

  private static func verify(_ token: SecretBytes, _ issuer: BrowserIssuer) async throws -> String {
    try await IDToken(
      verifying: token, of: issuer, clientID: "client", nonce: "n-1", now: Timestamp(clamping: now)
    ).subject
  }

  // MARK: Tokens that prove the user

  @Test(
    arguments: [[:], ["aud": "client"], ["azp": "client"], ["aud": ["client", "other"], "azp": "client"]]
      as [[String: ChappieJSONValue]])
  func verifiesTheUser(_ changes: [String: ChappieJSONValue]) async throws {
    let server = try Issuer()
    let issuer = BrowserIssuer(server.address, http: AuthHTTP())
    #expect(try await Self.verify(Self.token(Self.claims(server.address, changes)), issuer) == "user")
  }

  @Test func keysThatWereRotatedJustNowVerify() async throws {
    let server = try Issuer()
    let issuer = BrowserIssuer(server.address, http: AuthHTTP())
    _ = try await Self.verify(Self.token(Self.claims(server.address)), issuer)
    server.keyIDs = ["k2"]
    let later = try Self.token(Self.claims(server.address), header: #"{"alg":"RS256","kid":"k2"}"#)
    #expect(try await Self.verify(later, issuer) == "user")
  }

  /// The times of a token that was received just now are those of another clock.
  @Test func theTimesOfARefreshDoNotMatter() async throws {
    let server = try Issuer()
    let issuer = BrowserIssuer(server.address, http: AuthHTTP())
    let token = try Self.token(Self.claims(server.address, ["exp": 5, "iat": .number(Double(Self.now + 9999))]))
    let identity = try await IDToken(verifying: token, of: issuer, clientID: "client", nonce: nil)
    #expect(identity.subject == "user")
  }

  /// The keys that a cache gives may be older than the one that signed a refresh. Its claims count all the same.
  @Test func anUnknownKeyEndsNoRefresh() async throws {
    let server = try Issuer()
    let issuer = BrowserIssuer(server.address, http: AuthHTTP())
    try await issuer.prepareCheck()
    let header = #"{"alg":"RS256","kid":"k2"}"#
    let token = try Self.token(Self.claims(server.address), header: header)
    let identity = try await IDToken(verifying: token, of: issuer, clientID: "client", nonce: nil)
    #expect(identity.subject == "user")
    let other = try Self.token(Self.claims(server.address, ["aud": "other"]), header: header)
    await #expect(throws: ChappieAuthError.self) {
      try await IDToken(verifying: other, of: issuer, clientID: "client", nonce: nil)
    }
    // A known key refutes a wrong signature.
    let changed = try SecretBytes((Self.token(Self.claims(server.address)).text.dropLast(8) + "AAAAAAAA").utf8)
    await #expect(throws: ChappieAuthError.self) {
      try await IDToken(verifying: changed, of: issuer, clientID: "client", nonce: nil)
    }
  }

  @Test func anUnknownKeyIsAskedForOnce() async throws {
    let server = try Issuer()
    let issuer = BrowserIssuer(server.address, http: AuthHTTP())
    let token = try Self.token(Self.claims(server.address))
    let later = try Self.token(Self.claims(server.address), header: #"{"alg":"RS256","kid":"k2"}"#)
    _ = try await Self.verify(token, issuer)
    _ = try await Self.verify(token, issuer)
    #expect(server.questions == 1)
    server.keyIDs = ["k2"]
    let other = BrowserIssuer(server.address, http: AuthHTTP())
    #expect(try await Self.verify(later, other) == "user")
    for _ in 0..<5 {
      await #expect(throws: ChappieAuthError.self) { try await Self.verify(token, other) }
    }
    // Tokens with made-up keys make no request each.
    #expect(server.questions == 3)
  }

  // MARK: Tokens that prove nothing

  @Test(
    arguments: [
      ["iss": "https://other.example"], ["aud": "other"], ["aud": []], ["aud": .null], ["aud": ["client", "other"]],
      ["azp": "other"], ["aud": ["other"], "azp": "client"], ["exp": .number(Double(now - 60))], ["exp": .null],
      ["exp": "soon"], ["iat": .number(Double(now + 600))], ["iat": .null], ["nonce": "n-2"], ["nonce": .null],
      ["sub": .null], ["sub": ""], ["sub": 5],
    ] as [[String: ChappieJSONValue]])
  func refusesWrongClaims(_ changes: [String: ChappieJSONValue]) async throws {
    let server = try Issuer()
    let issuer = BrowserIssuer(server.address, http: AuthHTTP())
    let token = try Self.token(Self.claims(server.address, changes))
    await #expect(throws: ChappieAuthError.self) { try await Self.verify(token, issuer) }
  }

  @Test(arguments: [
    #"{"alg":"none","kid":"k1"}"#, #"{"alg":"HS256","kid":"k1"}"#, #"{"alg":"RS512","kid":"k1"}"#, #"{"kid":"k1"}"#,
    #"{"alg":"RS256"}"#, #"{"alg":"RS256","kid":"k9"}"#, "[]", "",
  ])
  func refusesOtherSignatures(_ header: String) async throws {
    let server = try Issuer()
    let issuer = BrowserIssuer(server.address, http: AuthHTTP())
    let token = try Self.token(Self.claims(server.address), header: header)
    await #expect(throws: ChappieAuthError.self) { try await Self.verify(token, issuer) }
  }

  @Test func refusesAChangedToken() async throws {
    let server = try Issuer()
    let issuer = BrowserIssuer(server.address, http: AuthHTTP())
    let parts = try Self.token(Self.claims(server.address)).text.split(separator: ".").map(String.init)
    let foreign = Base64URL.encode(Self.claims(server.address, ["sub": "somebody else"]).encoded)
    for text in [
      "\(parts[0]).\(foreign).\(parts[2])", "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).",
      "\(parts[0]).\(parts[1]).\(parts[2]).", "..", "", "a.b.c",
    ] {
      await #expect(throws: ChappieAuthError.self, "\(text.prefix(20))") {
        try await Self.verify(SecretBytes(text.utf8), issuer)
      }
    }
  }

  @Test func anOutageIsNoRefusal() async throws {
    let issuer = BrowserIssuer("http://127.0.0.1:1", http: AuthHTTP())
    let token = try Self.token(Self.claims("http://127.0.0.1:1"))
    let error = await #expect(throws: ChappieAuthError.self) { try await Self.verify(token, issuer) }
    guard case .network = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
  }
}
