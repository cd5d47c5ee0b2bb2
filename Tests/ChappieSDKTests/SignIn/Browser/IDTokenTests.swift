// SPDX-License-Identifier: Apache-2.0
import HTTPTestServer
import Signatures
import Signing

@testable import ChappieSDK

@Suite(.timeLimit(.minutes(10)))
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

  private let server: Issuer
  private let issuer: BrowserIssuer

  init() throws {
    server = try Issuer()
    issuer = BrowserIssuer(server.address, http: AuthHTTP())
  }

  private func token(
    _ changes: [String: ChappieJSONValue] = [:], header: String = #"{"alg":"RS256","kid":"k1"}"#
  ) throws -> SecretBytes {
    let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims(changes).encoded)
    let signature = try Self.key.get().signature(of: Array(signed.utf8))
    return SecretBytes("\(signed).\(Base64URL.encode(signature))".utf8)
  }

  private func claims(_ changes: [String: ChappieJSONValue]) -> ChappieJSONValue {
    let claims: [String: ChappieJSONValue] = [
      "iss": .string(server.address), "aud": ["client"], "sub": "user", "nonce": "n-1",
      "iat": .number(Double(Self.now)), "exp": .number(Double(Self.now + 60)),
    ]
    return .object(claims.merging(changes) { $1 })
  }

  /// - Parameter nonce: nil for a token of a refresh.
  private func verify(_ token: SecretBytes, nonce: String? = "n-1") async throws -> String {
    let now = Timestamp(clamping: Self.now)
    return try await IDToken(verifying: token, of: issuer, clientID: "client", nonce: nonce, now: now).subject
  }

  // MARK: Tokens that prove the user

  @Test(
    arguments: [[:], ["aud": "client"], ["azp": "client"], ["aud": ["client", "other"], "azp": "client"]]
      as [[String: ChappieJSONValue]])
  func verifiesTheUser(_ changes: [String: ChappieJSONValue]) async throws {
    #expect(try await verify(token(changes)) == "user")
  }

  @Test func anUnknownKeyIsAskedForOnce() async throws {
    let (token, later) = (try token(), try token(header: #"{"alg":"RS256","kid":"k2"}"#))
    for _ in 0..<2 { #expect(try await verify(token) == "user") }
    #expect(server.questions == 1)
    // The issuer has just changed its keys.
    server.keyIDs = ["k2"]
    #expect(try await verify(later) == "user")
    for _ in 0..<5 {
      await #expect(throws: ChappieAuthError.self) { try await verify(token) }
    }
    // Tokens with made-up keys make no request each.
    #expect(server.questions == 2)
  }

  /// The times of a token that was received just now are those of another clock. The keys that a cache gives may be
  /// older than the one that signed it. Its claims count all the same.
  @Test func neitherTimesNorAnUnknownKeyEndARefresh() async throws {
    try await issuer.prepareCheck()
    let times: [String: ChappieJSONValue] = ["exp": 5, "iat": .number(Double(Self.now + 9999))]
    #expect(try await verify(token(times), nonce: nil) == "user")
    let header = #"{"alg":"RS256","kid":"k2"}"#
    #expect(try await verify(token(header: header), nonce: nil) == "user")
    let foreign = try token(["aud": "other"], header: header)
    // A known key refutes a wrong signature.
    let changed = try SecretBytes((token().text.dropLast(8) + "AAAAAAAA").utf8)
    for token in [foreign, changed] {
      await #expect(throws: ChappieAuthError.self) { try await verify(token, nonce: nil) }
    }
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
    await #expect(throws: ChappieAuthError.self) { try await verify(token(changes)) }
  }

  @Test(arguments: [
    #"{"alg":"none","kid":"k1"}"#, #"{"alg":"HS256","kid":"k1"}"#, #"{"alg":"RS512","kid":"k1"}"#, #"{"kid":"k1"}"#,
    #"{"alg":"RS256"}"#, #"{"alg":"RS256","kid":"k9"}"#, "[]", "",
  ])
  func refusesOtherSignatures(_ header: String) async throws {
    await #expect(throws: ChappieAuthError.self) { try await verify(token(header: header)) }
  }

  @Test func refusesAChangedToken() async throws {
    let parts = try token().text.split(separator: ".").map(String.init)
    let foreign = Base64URL.encode(claims(["sub": "somebody else"]).encoded)
    for text in [
      "\(parts[0]).\(foreign).\(parts[2])", "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).",
      "\(parts[0]).\(parts[1]).\(parts[2]).", "..", "", "a.b.c",
    ] {
      await #expect(throws: ChappieAuthError.self, "\(text.prefix(20))") {
        try await verify(SecretBytes(text.utf8))
      }
    }
  }

  @Test func anOutageIsNoRefusal() async throws {
    let token = try token()
    let unreachable = BrowserIssuer("http://127.0.0.1:1", http: AuthHTTP())
    let error = await #expect(throws: ChappieAuthError.self) {
      try await IDToken(verifying: token, of: unreachable, clientID: "client", nonce: "n-1")
    }
    let isOutage = if case .network = error { true } else { false }
    #expect(isOutage, "\(String(describing: error))")
  }
}
