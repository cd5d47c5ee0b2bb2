import ChappieSDK
import GLibBridge
import HTTPTestServer
import SecretMemory

/// `POST /api/accounts/oauth/token` and `POST /api/accounts/oauth/revoke`: codes, refreshes and revocation.
@GLibActor
struct BrowserTokenEndpoint {
  let issuer: BrowserIssuer

  /// Exchanges a code.
  func exchange(_ request: HTTPServerRequest, _ change: IDTokenChange?) -> HTTPServerResponse {
    guard let form = request.form else { return .oauthError("invalid_request", "The request must be a form.") }
    guard form["grant_type"] == "authorization_code" else {
      return .oauthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")
    }
    guard let clientID = clientID(form) else { return unknownClient }
    guard isResource(form["resource"], request) else { return .oauthError("invalid_target", "resource is wrong.") }
    let id = RandomText.hex(bytes: 8)
    let approval: Authorizations.Approval
    do throws(Authorizations.CodeError) {
      approval = try issuer.authorizations.redeem(form["code"] ?? "", signIn: id)
    } catch {
      if case .reused(let signIn) = error { issuer.tokens.revoke { $0.id == signIn } }
      return .oauthError("invalid_grant", "The code is unknown, expired or used.")
    }
    let verifier = Array((form["code_verifier"] ?? "").utf8)
    guard approval.clientID == clientID, approval.request.redirect.text == form["redirect_uri"],
      RandomText.base64URL(SHA256.digest(of: verifier)) == approval.request.challenge
    else { return .oauthError("invalid_grant", "The code has another client, redirect_uri or verifier.") }
    let signIn = BrowserTokens.SignIn(
      id: id, issuer: approval.request.issuer, clientID: clientID, resource: approval.request.resource,
      user: approval.user, scopes: approval.scopes)
    return answer(signIn, issuer.tokens.issue(signIn, nonce: approval.request.nonce, change))
  }

  /// Exchanges a refresh token for its successor.
  func refresh(_ request: HTTPServerRequest, _ change: IDTokenChange?) -> HTTPServerResponse {
    guard let form = request.form else { return .oauthError("invalid_request", "The request must be a form.") }
    guard let clientID = clientID(form) else { return unknownClient }
    guard isResource(form["resource"], request) else { return .oauthError("invalid_target", "resource is wrong.") }
    guard form["scope"] == nil else { return .oauthError("invalid_request", "A refresh has no scope.") }
    do throws(BrowserTokens.RefreshError) {
      let signIn = try issuer.tokens.redeem(form["refresh_token"] ?? "", clientID: clientID)
      return answer(signIn, issuer.tokens.issue(signIn, nonce: nil, change))
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
    issuer.tokens.revoke(token, clientID: clientID)
    return HTTPServerResponse(.init(status: 200))
  }

  private func clientID(_ form: [String: String]) -> String? {
    form["client_id"].flatMap { issuer.registrations[$0]?.clientID }
  }

  private var unknownClient: HTTPServerResponse { .oauthError("invalid_client", "Unknown client.", status: 401) }

  private func isResource(_ resource: String?, _ request: HTTPServerRequest) -> Bool {
    resource.map { ([AuthorizationRequest.liveResource] + issuer.issuers(of: request).map { $0 + "/v1" }).contains($0) }
      ?? false
  }

  private func answer(_ signIn: BrowserTokens.SignIn, _ tokens: BrowserTokens.Tokens) -> HTTPServerResponse {
    var members: [String: ChappieJSONValue] = [
      "id_token": .string(tokens.idToken), "access_token": .string(tokens.accessToken), "token_type": "Bearer",
      "expires_in": ChappieJSONValue(tokens.lifetime), "scope": .string(signIn.scopes.joined(separator: " ")),
      "earliest_refresh_at": ChappieJSONValue(tokens.earliestRefresh),
    ]
    if let token = tokens.refreshToken { members["refresh_token"] = .string(token) }
    return .json(.object(members), headers: [("cache-control", "no-store")])
  }
}
