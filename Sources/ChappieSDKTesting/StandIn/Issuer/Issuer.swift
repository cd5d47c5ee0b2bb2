// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials
import GLibBridge
import HTTPTestServer

/// The endpoints of the issuer: device-code sign-in and tokens.
@GLibActor
struct Issuer {
  let configuration: StandInConfiguration
  let devices: DeviceAuthorizations
  let tokens: TokenStore

  // MARK: Device code

  /// `POST /api/accounts/deviceauth/usercode`
  func userCode(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let clientID = request.json["client_id"]?.stringValue else {
      return .error(400, "invalid_request", "The request must be JSON with a client_id.")
    }
    guard clientID == configuration.clientID else { return .error(400, "invalid_client", "Unknown client.") }
    let authorization = devices.start(clientID: clientID)
    if configuration.approvesAtOnce {
      _ = devices.decide(userCode: authorization.userCode, user: configuration.user)
    }
    return .json([
      "device_auth_id": .string(authorization.id), "user_code": .string(authorization.userCode),
      "interval": .string(String(configuration.pollInterval)),
      "expires_at": .string(authorization.expires.formatted(.iso8601)),
    ])
  }

  /// `POST /api/accounts/deviceauth/token`
  func poll(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let body = request.json
    guard let id = body["device_auth_id"]?.stringValue, let userCode = body["user_code"]?.stringValue else {
      return .error(400, "invalid_request", "The request must be JSON with device_auth_id and user_code.")
    }
    let unknown = "Device authorization is unknown. Please try again."
    switch devices.state(id: id, userCode: userCode) {
    case .waiting: return .error(403, "deviceauth_authorization_unknown", unknown)
    case nil: return .error(404, "deviceauth_authorization_unknown", unknown)
    case .declined: return .error(400, "access_denied", "The sign-in was declined.")
    case .approved(let approval):
      return .json([
        "authorization_code": .string(approval.code), "code_challenge": .string(approval.challenge),
        "code_verifier": .string(approval.verifier),
      ])
    }
  }

  // MARK: Tokens

  /// `POST /oauth/token` with a form.
  func exchange(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let form = request.form else { return .oauthError("invalid_request", "A code comes in a form.") }
    guard form["grant_type"] == "authorization_code" else {
      return .oauthError("unsupported_grant_type", "A form must have grant_type=authorization_code.")
    }
    guard form["client_id"] == configuration.clientID else { return .oauthError("invalid_client", "Unknown client.") }
    let issuers = PublicAddress(of: request, configured: configuration.publicURL).candidates
    guard let issuer = issuers.first(where: { form["redirect_uri"] == $0 + "/deviceauth/callback" }) else {
      let expected = issuers.map { $0 + "/deviceauth/callback" }.joined(separator: " or ")
      return .oauthError("invalid_grant", "redirect_uri must be \(expected).")
    }
    let approval = devices.redeem(
      code: form["code"] ?? "", clientID: configuration.clientID, verifier: form["code_verifier"] ?? "")
    guard let approval else { return .oauthError("invalid_grant", "The code or its verifier is wrong or used.") }
    return .tokens(signIn(approval.user, issuer: issuer))
  }

  /// `POST /oauth/token` with JSON.
  func refresh(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let body = request.json
    guard !body.isNull else {
      return .error(400, "invalid_request", "The request is not JSON.")
    }
    guard body["grant_type"]?.stringValue == "refresh_token" else {
      return .error(400, "unsupported_grant_type", "JSON must have grant_type refresh_token.")
    }
    guard body["client_id"]?.stringValue == configuration.clientID else {
      return .error(400, "invalid_client", "Unknown client.")
    }
    do throws(TokenStore.RefreshError) {
      let token = body["refresh_token"]?.stringValue ?? ""
      return .tokens(try tokens.refresh(token, clientID: configuration.clientID).tokens)
    } catch {
      switch error {
      case .unknown, .expired, .early: return .error(400, "invalid_grant", "The refresh token is unknown.")
      case .reused:
        return .error(
          401, "refresh_token_reused", "Your refresh token has already been used to generate a new access token.")
      case .revoked: return .error(401, "refresh_token_invalidated", "Your refresh token has been revoked.")
      }
    }
  }

  /// `POST /oauth/revoke`
  func revoke(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let token = request.json["token"]?.stringValue else {
      return .error(400, "invalid_request", "The request must be JSON with a token.")
    }
    // As RFC 7009 says, revoking an unknown token succeeds.
    tokens.revoke(token)
    return .json([:])
  }

  /// Issues the tokens of a sign-in.
  func signIn(_ user: StandInUser, issuer: String) -> TokenStore.Tokens {
    tokens.issue(
      TokenStore.SignIn(
        id: RandomText.hex(bytes: 8), issuer: issuer, clientID: configuration.clientID,
        resource: AuthorizationRequest.liveResource, user: user, scopes: ["offline_access"]))
  }
}

extension HTTPServerResponse {
  /// The answer of both token endpoints.
  static func tokens(_ tokens: TokenStore.Tokens, _ more: [String: ChappieJSONValue] = [:]) -> HTTPServerResponse {
    var members: [String: ChappieJSONValue] = [
      "id_token": .string(tokens.idToken), "access_token": .string(tokens.accessToken), "token_type": "Bearer",
      "expires_in": ChappieJSONValue(tokens.lifetime),
    ]
    members["refresh_token"] = tokens.refreshToken.map { .string($0) }
    return .json(.object(members.merging(more) { $1 }), headers: [("cache-control", "no-store")])
  }
}
