import ChappieSDK
import GLibBridge
import HTTPTestServer

/// The issuer of “Sign in with ChatGPT”: its state, and what it publishes about itself.
@GLibActor
final class BrowserIssuer {
  let configuration: StandInConfiguration
  let keys = SigningKeys()
  let registrations = Registrations()
  let authorizations = Authorizations()
  let tokens: BrowserTokens
  /// Parameters that replace those of each callback; an empty text removes one.
  var callbackChanges: [String: String] = [:]

  init(_ configuration: StandInConfiguration, clock: StandInClock) {
    self.configuration = configuration
    tokens = BrowserTokens(configuration, keys: keys, clock: clock)
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
}
