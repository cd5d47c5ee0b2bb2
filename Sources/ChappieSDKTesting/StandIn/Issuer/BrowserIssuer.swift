// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials
import GLibBridge
import HTTPTestServer
import SecretMemory

/// The issuer of “Sign in with ChatGPT”: its state, what it publishes about itself, and its token endpoints.
@GLibActor
final class BrowserIssuer {
  /// An approved request. Its code can be redeemed once.
  struct Approval {
    let request: AuthorizationRequest
    let clientID: String
    let user: StandInUser
    let scopes: [String]
    /// The sign-in for which the code was redeemed.
    var signIn: String?
  }

  let configuration: StandInConfiguration
  let keys = SigningKeys()
  let registrations = Registrations()
  /// The requests that wait for the decision of a person.
  var waiting = Expiring<AuthorizationRequest>(lifetime: .seconds(600))
  var codes = Expiring<Approval>(lifetime: .seconds(600))
  let tokens: TokenStore
  /// Parameters that replace those of each callback; an empty text removes one.
  var callbackChanges: [String: String] = [:]

  init(_ configuration: StandInConfiguration, clock: StandInClock) {
    self.configuration = configuration
    tokens = TokenStore(configuration, keys: keys, clock: clock)
  }

  /// `GET /.well-known/openid-configuration`
  func discovery(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let issuer = configuration.addresses(of: request)[0]
    return .json([
      "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/api/accounts/authorize"),
      "token_endpoint": .string(issuer + "/api/accounts/oauth/token"),
      "revocation_endpoint": .string(issuer + "/api/accounts/oauth/revoke"),
      "jwks_uri": .string(issuer + "/.well-known/jwks.json"), "response_types_supported": ["code"],
      "grant_types_supported": ["authorization_code", "refresh_token"], "code_challenge_methods_supported": ["S256"],
      "token_endpoint_auth_methods_supported": ["none"], "id_token_signing_alg_values_supported": ["RS256"],
      "subject_types_supported": ["pairwise"],
      "scopes_supported": .array(AuthorizationRequest.scopes.map { .string($0) }),
    ])
  }

  // MARK: Tokens

  /// Exchanges a code. A wrong client uses it up as well.
  func exchange(
    _ request: HTTPServerRequest, _ change: ChappieJSONValue?
  ) throws(HTTPServerResponse) -> HTTPServerResponse {
    let form = try form(request, grant: "authorization_code")
    let (id, code) = (RandomText.hex(bytes: 8), form["code"] ?? "")
    let approval = codes[code]
    if let earlier = approval?.signIn { tokens.revoke { $0.id == earlier } }
    guard let approval, approval.signIn == nil else {
      throw .oauthError("invalid_grant", "The code is unknown, expired or used.")
    }
    codes[code]?.signIn = id
    let asked = approval.request
    guard approval.clientID == form["client_id"], asked.redirect.text == form["redirect_uri"],
      Base64URL.encode(SHA256.digest(of: Array((form["code_verifier"] ?? "").utf8))) == asked["code_challenge"]
    else { throw .oauthError("invalid_grant", "The code has another client, redirect_uri or verifier.") }
    let signIn = TokenStore.SignIn(
      id: id, issuer: asked.issuer, clientID: approval.clientID, resource: asked["resource"], user: approval.user,
      scopes: approval.scopes)
    return answer(signIn, tokens.issue(signIn, nonce: asked["nonce"], change))
  }

  /// Exchanges a refresh token for its successor.
  func refresh(
    _ request: HTTPServerRequest, _ change: ChappieJSONValue?
  ) throws(HTTPServerResponse) -> HTTPServerResponse {
    let form = try form(request, grant: "refresh_token")
    guard form["scope"] == nil else { throw .oauthError("invalid_request", "A refresh has no scope.") }
    do throws(TokenStore.RefreshError) {
      let renewed = try tokens.refresh(form["refresh_token"] ?? "", clientID: form["client_id"] ?? "", change)
      return answer(renewed.signIn, renewed.tokens)
    } catch {
      throw .oauthError(error.rawValue, error.text)
    }
  }

  /// Ends the sign-in of a token. As RFC 7009 says, revoking an unknown token succeeds.
  func revoke(_ request: HTTPServerRequest) throws(HTTPServerResponse) -> HTTPServerResponse {
    guard let form = request.form, let token = form["token"] else {
      throw .oauthError("invalid_request", "The request must be a form with a token.")
    }
    let clientID = try clientID(form)
    if let signIn = tokens.signIn(ofToken: token), signIn.clientID == clientID { tokens.revoke { $0.id == signIn.id } }
    return HTTPServerResponse(status: 200)
  }

  /// The form of a request for tokens, whose client and resource are known.
  private func form(_ request: HTTPServerRequest, grant: String) throws(HTTPServerResponse) -> [String: String] {
    let form = try request.form(grant: grant)
    _ = try clientID(form)
    guard AuthorizationRequest.resources(configuration.addresses(of: request)).contains(form["resource"] ?? "") else {
      throw .oauthError("invalid_target", "resource is wrong.")
    }
    return form
  }

  private func clientID(_ form: [String: String]) throws(HTTPServerResponse) -> String {
    if let known = registrations[form["client_id"] ?? ""] { return known.clientID }
    throw .oauthError("invalid_client", "Unknown client.", status: 401)
  }

  private func answer(_ signIn: TokenStore.SignIn, _ tokens: TokenStore.Tokens) -> HTTPServerResponse {
    let scope = ChappieJSONValue.string(signIn.scopes.joined(separator: " "))
    return .tokens(tokens, ["scope": scope, "earliest_refresh_at": ChappieJSONValue(tokens.earliestRefresh)])
  }
}

/// Values with ids that end after a time.
struct Expiring<Value> {
  let lifetime: Duration
  private var entries: [String: (value: Value, expires: Date)] = [:]

  init(lifetime: Duration) {
    self.lifetime = lifetime
  }

  /// Adds a value, and returns the time at which it ends.
  @discardableResult
  mutating func add(_ value: Value, as id: String) -> Date {
    let now = Date()
    entries = entries.filter { $0.value.expires > now }
    let expires = now.addingTimeInterval(Double(lifetime.components.seconds))
    entries[id] = (value, expires)
    return expires
  }

  /// The value with an id; nil if it is unknown or has ended. Nil removes it.
  subscript(id: String) -> Value? {
    get { entries[id].flatMap { $0.expires > Date() ? $0.value : nil } }
    set { entries[id] = newValue.flatMap { value in entries[id].map { (value, $0.expires) } } }
  }

  func first(where matches: (Value) -> Bool) -> (id: String, value: Value)? {
    entries.first { $0.value.expires > Date() && matches($0.value.value) }.map { ($0.key, $0.value.value) }
  }
}
