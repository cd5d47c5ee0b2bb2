// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer
import SecretMemory

/// The issuer of “Sign in with ChatGPT”: its state, what it publishes about itself, and its token endpoints.
@GLibActor
final class BrowserIssuer {
  let configuration: StandInConfiguration
  let keys = SigningKeys()
  let registrations = Registrations()
  let authorizations = Authorizations()
  let tokens: TokenStore
  /// Parameters that replace those of each callback; an empty text removes one.
  var callbackChanges: [String: String] = [:]

  init(_ configuration: StandInConfiguration, clock: StandInClock) {
    self.configuration = configuration
    tokens = TokenStore(configuration, keys: keys, clock: clock)
  }

  /// `GET /.well-known/openid-configuration`
  func discovery(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let issuer = issuers(of: request)[0]
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

  /// `GET /.well-known/jwks.json`
  func publishedKeys() -> HTTPServerResponse {
    .json(keys.json, headers: [("cache-control", "public, max-age=3600")])
  }

  /// The addresses that a client may know the issuer by, the most likely first.
  func issuers(of request: HTTPServerRequest) -> [String] {
    PublicAddress(of: request, configured: configuration.publicURL).candidates
  }

  // MARK: Tokens

  /// Exchanges a code.
  func exchange(_ request: HTTPServerRequest, _ change: IDTokenChange?) -> HTTPServerResponse {
    guard let form = request.form else { return .oauthError("invalid_request", "The request must be a form.") }
    guard form["grant_type"] == "authorization_code" else {
      return .oauthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")
    }
    guard let clientID = clientID(form) else { return unknownClient }
    guard isResource(form["resource"], request) else { return .oauthError("invalid_target", "resource is wrong.") }
    let id = RandomText.hex(bytes: 8)
    let redeemed = authorizations.redeem(form["code"] ?? "", signIn: id)
    if let earlier = redeemed?.earlier { tokens.revoke { $0.id == earlier } }
    guard let approval = redeemed?.approval, redeemed?.earlier == nil else {
      return .oauthError("invalid_grant", "The code is unknown, expired or used.")
    }
    let verifier = Array((form["code_verifier"] ?? "").utf8)
    guard approval.clientID == clientID, approval.request.redirect.text == form["redirect_uri"],
      Base64URL.encode(SHA256.digest(of: verifier)) == approval.request.challenge
    else { return .oauthError("invalid_grant", "The code has another client, redirect_uri or verifier.") }
    let signIn = TokenStore.SignIn(
      id: id, issuer: approval.request.issuer, clientID: clientID, resource: approval.request.resource,
      user: approval.user, scopes: approval.scopes)
    return answer(signIn, tokens.issue(signIn, nonce: approval.request.nonce, change))
  }

  /// Exchanges a refresh token for its successor.
  func refresh(_ request: HTTPServerRequest, _ change: IDTokenChange?) -> HTTPServerResponse {
    guard let form = request.form else { return .oauthError("invalid_request", "The request must be a form.") }
    guard let clientID = clientID(form) else { return unknownClient }
    guard isResource(form["resource"], request) else { return .oauthError("invalid_target", "resource is wrong.") }
    guard form["scope"] == nil else { return .oauthError("invalid_request", "A refresh has no scope.") }
    do throws(TokenStore.RefreshError) {
      let renewed = try tokens.refresh(form["refresh_token"] ?? "", clientID: clientID, change)
      return answer(renewed.signIn, renewed.tokens)
    } catch {
      switch error {
      case .unknown: return .oauthError("invalid_refresh_token", "The refresh token is unknown.")
      case .reused: return .oauthError("refresh_token_reused", "The refresh token was used before.")
      case .revoked: return .oauthError("refresh_token_invalidated", "The refresh token was revoked.")
      case .expired: return .oauthError("refresh_token_expired", "The refresh token is too old.")
      case .early: return .oauthError("invalid_grant", "The refresh comes before earliest_refresh_at.")
      }
    }
  }

  /// Ends the sign-in of a token. As RFC 7009 says, revoking an unknown token succeeds.
  func revoke(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let form = request.form, let token = form["token"] else {
      return .oauthError("invalid_request", "The request must be a form with a token.")
    }
    guard let clientID = clientID(form) else { return unknownClient }
    if let signIn = tokens.signIn(ofToken: token), signIn.clientID == clientID {
      tokens.revoke { $0.id == signIn.id }
    }
    return HTTPServerResponse(.init(status: 200))
  }

  private func clientID(_ form: [String: String]) -> String? {
    form["client_id"].flatMap { registrations[$0]?.clientID }
  }

  private var unknownClient: HTTPServerResponse { .oauthError("invalid_client", "Unknown client.", status: 401) }

  private func isResource(_ resource: String?, _ request: HTTPServerRequest) -> Bool {
    resource.map(AuthorizationRequest.resources(issuers(of: request)).contains) ?? false
  }

  private func answer(_ signIn: TokenStore.SignIn, _ tokens: TokenStore.Tokens) -> HTTPServerResponse {
    .tokens(
      tokens,
      [
        "scope": .string(signIn.scopes.joined(separator: " ")),
        "earliest_refresh_at": ChappieJSONValue(tokens.earliestRefresh),
      ])
  }
}
