// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials
import GLibBridge
import HTTPTestServer
import SecretMemory

/// The issuer of sign-ins with a code: its state and its endpoints.
@GLibActor
final class Issuer {
  private enum State {
    case waiting
    case approved(StandInUser, code: String, verifier: String)
    case declined
  }

  private struct Authorization {
    let userCode: String
    var state = State.waiting

    /// The code may be in any case, with or without its dash.
    func has(_ code: String) -> Bool { Self.normalized(code) == Self.normalized(userCode) }

    private static func normalized(_ code: String) -> String {
      code.filter { $0.isLetter || $0.isNumber }.uppercased()
    }
  }

  let configuration: StandInConfiguration
  let tokens: TokenStore
  private var authorizations: Expiring<Authorization>

  init(_ configuration: StandInConfiguration, clock: StandInClock) {
    self.configuration = configuration
    tokens = TokenStore(configuration, keys: nil, clock: clock)
    authorizations = Expiring(lifetime: configuration.userCodeLifetime)
  }

  // MARK: Device code

  /// `POST /api/accounts/deviceauth/usercode`
  func userCode(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let clientID = request.json["client_id"]?.stringValue else {
      return .error(400, "invalid_request", "The request must be JSON with a client_id.")
    }
    guard clientID == configuration.clientID else { return .error(400, "invalid_client", "Unknown client.") }
    let (id, userCode) = ("deviceauth_" + RandomText.hex(bytes: 16), RandomText.userCode())
    let expires = authorizations.add(Authorization(userCode: userCode), as: id)
    if configuration.approvesAtOnce { _ = decide(userCode: userCode, user: configuration.user) }
    return .json([
      "device_auth_id": .string(id), "user_code": .string(userCode), "interval": .string(pollInterval),
      "expires_at": .string(expires.formatted(.iso8601)),
    ])
  }

  /// Whole where it can be, because some clients read nothing else.
  private var pollInterval: String {
    Int(exactly: configuration.pollInterval).map { "\($0)" } ?? "\(configuration.pollInterval)"
  }

  /// `POST /api/accounts/deviceauth/token`
  func poll(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let body = request.json
    guard let id = body["device_auth_id"]?.stringValue, let userCode = body["user_code"]?.stringValue else {
      return .error(400, "invalid_request", "The request must be JSON with device_auth_id and user_code.")
    }
    let authorization = authorizations[id].flatMap { $0.has(userCode) ? $0 : nil }
    switch authorization?.state {
    case .declined: return .error(400, "access_denied", "The sign-in was declined.")
    case .approved(_, let code, let verifier):
      return .json([
        "authorization_code": .string(code), "code_verifier": .string(verifier),
        "code_challenge": .string(Base64URL.encode(SHA256.digest(of: Array(verifier.utf8)))),
      ])
    case .waiting, nil:
      let status = authorization == nil ? 404 : 403
      return .error(
        status, "deviceauth_authorization_unknown", "Device authorization is unknown. Please try again.")
    }
  }

  /// Approves or declines a sign-in.
  ///
  /// - Parameter user: the user who approves; nil declines.
  /// - Returns: whether a pending sign-in has this code.
  func decide(userCode: String, user: StandInUser?) -> Bool {
    let match = authorizations.first {
      if case .waiting = $0.state { $0.has(userCode) } else { false }
    }
    guard let match else { return false }
    authorizations[match.id]?.state =
      user.map { .approved($0, code: "ac-" + RandomText.secret(), verifier: RandomText.secret()) } ?? .declined
    return true
  }

  // MARK: Tokens

  /// `POST /oauth/token` with a form. Each code can be redeemed once.
  func exchange(_ request: HTTPServerRequest) throws(HTTPServerResponse) -> HTTPServerResponse {
    let form = try request.form(grant: "authorization_code")
    guard form["client_id"] == configuration.clientID else { return .oauthError("invalid_client", "Unknown client.") }
    let issuers = configuration.addresses(of: request)
    guard let issuer = issuers.first(where: { form["redirect_uri"] == $0 + "/deviceauth/callback" }) else {
      let expected = issuers.map { $0 + "/deviceauth/callback" }.joined(separator: " or ")
      return .oauthError("invalid_grant", "redirect_uri must be \(expected).")
    }
    let approved = authorizations.first {
      guard case .approved(_, let code, let verifier) = $0.state else { return false }
      return code == form["code"] && verifier == form["code_verifier"]
    }
    guard let approved, case .approved(let user, _, _) = approved.value.state else {
      return .oauthError("invalid_grant", "The code or its verifier is wrong or used.")
    }
    authorizations[approved.id] = nil
    return .tokens(signIn(user, issuer: issuer))
  }

  /// `POST /oauth/token` with JSON.
  func refresh(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let body = request.json
    guard !body.isNull else { return .error(400, "invalid_request", "The request is not JSON.") }
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
      case .unknown, .expired, .early: return .error(400, "invalid_grant", TokenStore.RefreshError.unknown.text)
      case .reused, .revoked: return .error(401, error.rawValue, error.text)
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

extension HTTPServerRequest {
  /// The form of a request for tokens.
  func form(grant: String) throws(HTTPServerResponse) -> [String: String] {
    guard let form else { throw .oauthError("invalid_request", "The request must be a form.") }
    guard form["grant_type"] == grant else {
      throw .oauthError("unsupported_grant_type", "A form must have grant_type=\(grant).")
    }
    return form
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

/// `/codex/device`: the page on which a person approves or declines a sign-in.
extension Issuer {
  func page(_ request: HTTPServerRequest) -> HTTPServerResponse {
    request.method == "POST" ? decide(request) : form(user: request.query["user"])
  }

  /// Handles the submitted form.
  private func decide(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let fields = request.form ?? [:]
    let address = fields["user"] ?? request.query["user"]
    let code = fields["user_code"] ?? ""
    let user: StandInUser?
    switch fields["decision"] {
    case "approve": user = configuration.user(address)
    case "decline": user = nil
    default: return form(code: code, user: address, problem: "Choose Approve or Decline.")
    }
    guard decide(userCode: code, user: user) else {
      let problem = "No sign-in waits for this code. Check it, or ask the program for a new one."
      return form(code: code, user: address, problem: problem)
    }
    let text = user.map { "You approved the sign-in as \($0.email)." } ?? "You declined the sign-in."
    return SandboxPage.page(
      user == nil ? "Declined" : "Approved", "<p role=\"status\">\(Markup.escaped(text)) You can close this page.</p>")
  }

  private func form(code: String = "", user: String?, problem: String? = nil) -> HTTPServerResponse {
    let field = """
      <label for="user_code">Code</label>
      <p class="hint" id="code-hint">The program that you are signing in shows it, such as ABCD-12345.</p>
      <input id="user_code" name="user_code" value="\(Markup.escaped(code))" required autofocus
        autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" aria-describedby="code-hint\(problem == nil ? "" : " problem")">
      """
    let form = SandboxPage.form(
      to: "/codex/device", field, user: user ?? configuration.user.email, approve: "Approve")
    return SandboxPage.page(
      "Sign in", (problem.map(SandboxPage.problem) ?? "") + form, status: problem == nil ? 200 : 400)
  }
}
