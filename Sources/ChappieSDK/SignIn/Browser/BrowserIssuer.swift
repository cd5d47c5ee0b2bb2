// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory
import Signatures

/// An issuer of sign-ins in the browser: its addresses and its keys, which are asked for when they are needed.
@GLibActor
final class BrowserIssuer {
  /// The time after which the description is read again.
  private static let lifetime = Duration.seconds(3600)
  /// The pause after a repeated request for the keys. Tokens with unknown keys cost one request in it.
  private static let pause = Duration.seconds(30)

  /// The issuer's keys, as of the latest request for them.
  private struct Keys {
    let value: [String: RSAPublicKey]
    let asked: ContinuousClock.Instant
    /// Whether the request came soon after another one.
    let isRepeated: Bool
  }

  nonisolated let issuer: String
  let http: AuthHTTP
  private var endpoints: (value: IssuerEndpoints, until: ContinuousClock.Instant)?
  private var keys: Keys?

  init(_ issuer: String, http: AuthHTTP) {
    self.issuer = issuer
    self.http = http
  }

  /// - Parameter isFresh: whether the issuer is asked even if its addresses are known.
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func addresses(isFresh: Bool = false) async throws -> IssuerEndpoints {
    if !isFresh, let endpoints, .now < endpoints.until { return endpoints.value }
    let document = try await document("\(issuer)/.well-known/openid-configuration", isFresh: true)
    let value = try IssuerEndpoints(document, issuer: issuer)
    endpoints = (value, .now + Self.lifetime)
    return value
  }

  /// The key with an id. Nil when the issuer has none.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func key(_ id: String) async throws -> RSAPublicKey? {
    if let key = keys?.value[id] { return key }
    // The issuer may have a new one since then.
    if let keys, keys.isRepeated, .now < keys.asked + Self.pause { return nil }
    try await askForKeys()
    return keys?.value[id]
  }

  /// The key with an id, where it is known. Another one is asked for in the background, for the next token.
  func keyAtHand(_ id: String) -> RSAPublicKey? {
    if let key = keys?.value[id] { return key }
    Task.onGLib { _ = try? await key(id) }
    return nil
  }

  /// Asks for what the check of a token needs, unless it is known.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func prepareCheck() async throws {
    if keys == nil { try await askForKeys() }
  }

  private func askForKeys() async throws {
    let document = try await document(try await addresses().keys)
    let isSoon = keys.map { .now < $0.asked + Self.pause } ?? false
    keys = Keys(value: Self.keys(document), asked: .now, isRepeated: isSoon)
  }

  /// The keys for signatures by their ids, from a JSON Web Key Set (RFC 7517). Keys of other kinds or without an id are
  /// left out, and all after the first 32.
  private static func keys(_ document: ChappieJSONValue) -> [String: RSAPublicKey] {
    let pairs = (document["keys"]?.arrayValue ?? []).prefix(32).compactMap { key -> (String, RSAPublicKey)? in
      guard key["kty"]?.stringValue == "RSA", let id = key["kid"]?.stringValue,
        ["sig", nil].contains(key["use"]?.stringValue), ["RS256", nil].contains(key["alg"]?.stringValue),
        let modulus = key["n"]?.stringValue.flatMap({ Base64URL.decode($0.utf8) }),
        let exponent = key["e"]?.stringValue.flatMap({ Base64URL.decode($0.utf8) })
      else { return nil }
      return (id, RSAPublicKey(modulus: modulus, exponent: exponent))
    }
    return Dictionary(pairs) { first, _ in first }
  }

  private func document(_ address: String, isFresh: Bool = false) async throws -> ChappieJSONValue {
    let answer = try await http.get(address, isFresh: isFresh)
    guard answer.isSuccess else {
      throw ChappieAuthError.network("its description is not available now (status \(answer.status))")
    }
    guard let json = answer.body.withSpan({ try? ChappieJSONValue(parsing: $0) }) else {
      throw ChappieAuthError.invalidResponse("its description is no JSON")
    }
    return json
  }
}

/// The addresses of an issuer, from its discovery document.
struct IssuerEndpoints: Sendable, Equatable {
  /// The longest address, in bytes.
  private static let lengthLimit = 2048

  let authorization: String
  let token: String
  let keys: String
  /// Nil when the issuer offers no revocation.
  let revocation: String?

  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for a document of another issuer, or with an address at another
  ///   server: it would get the user's tokens.
  init(_ document: ChappieJSONValue, issuer: String) throws(ChappieAuthError) {
    guard document["issuer"]?.stringValue == issuer else {
      throw .invalidResponse("its description names another issuer")
    }
    func address(_ key: String) throws(ChappieAuthError) -> String? {
      guard let text = document[key]?.stringValue else { return nil }
      guard text.utf8.count <= Self.lengthLimit, !text.contains("#") else {
        throw .invalidResponse("its description has an address that cannot be used")
      }
      guard let origin = WebPageAddress(text)?.origin, origin == WebPageAddress(issuer)?.origin else {
        throw .invalidResponse("its description names another server")
      }
      return text
    }
    guard let authorization = try address("authorization_endpoint"), let token = try address("token_endpoint"),
      let keys = try address("jwks_uri")
    else { throw .invalidResponse("its description lacks an address") }
    self.authorization = authorization
    self.token = token
    self.keys = keys
    revocation = try address("revocation_endpoint")
  }
}

/// One attempt of a sign-in in the browser: its random values and the address of the page.
struct AuthorizationRequest: Sendable {
  /// What is asked of the user: the identity, and the use of the plan.
  static let scopes = "openid profile email offline_access resource.invoke \(planUseScope)"
  /// The scope without which no request may use the plan.
  static let planUseScope = "chatgpt.tokens.use.direct"

  /// Ties the browser's return to this attempt.
  let state: String
  /// Ties the ID token to this attempt.
  let nonce = random()
  /// Ties the exchange of the code to this attempt (RFC 7636).
  let verifier = SecretBytes(random().utf8)

  let endpoint: String
  /// The issued client id. Nil for an application without a registration.
  let clientID: String?
  /// The application's own name.
  let applicationName: String
  let hostID: String
  let redirectURI: String
  let resource: String
  let asksForPlanUse: Bool

  /// 32 random bytes as text.
  static func random() -> String {
    Base64URL.encode(AEAD.randomKey().withBytes { Array($0) })
  }

  /// The address of the page.
  ///
  /// An ID token as hint would spare the user the choice of the account, and it is left out: the address passes through
  /// argument lists and the browser's history.
  ///
  /// - Parameter mailAddress: the account's address, which chooses it on the page. Nil for an address that is shown.
  func address(hint mailAddress: String? = nil) -> String {
    let challenge = Base64URL.encode(SHA256.digest(of: verifier.withBytes { Array($0) }))
    var parameters = [
      ("client_id", clientID ?? Registration.newClient), ("ext_agent_host_id", hostID), ("response_type", "code"),
      ("redirect_uri", redirectURI), ("scope", Self.scopes), ("resource", resource), ("state", state),
      ("nonce", nonce), ("code_challenge_method", "S256"), ("code_challenge", challenge),
    ]
    if clientID == nil { parameters.append(("agent_name_hint", applicationName)) }
    if asksForPlanUse { parameters.append(("prompt", "consent")) }
    if let mailAddress { parameters.append(("login_hint", mailAddress)) }
    return endpoint + (endpoint.contains("?") ? "&" : "?") + FormCoding.query(parameters)
  }
}
