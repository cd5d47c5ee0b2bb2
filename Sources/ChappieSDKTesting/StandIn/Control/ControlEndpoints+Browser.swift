import ChappieSDK
import HTTPTestServer

/// Control of the sign-in in the browser.
extension StandInCore {
  /// Makes the backends refuse all access tokens so far.
  func expireAccessTokens() {
    tokens.expireAccessTokens()
    browser.tokens.expireAccessTokens()
  }

  /// Makes the issuers refuse all refresh tokens so far.
  func revokeRefreshTokens() {
    tokens.revokeRefreshTokens()
    browser.tokens.revokeRefreshTokens()
  }

  /// Decides on an authorization request as a person in a browser would, and answers with the address to which the
  /// browser would go.
  func authorize(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let decision: AuthorizeEndpoint.Decision
    switch field("decision", of: request) {
    case nil, "approve":
      decision = .approve(
        user(field("user", of: request)), name: field("name", of: request),
        allowsPlanUse: field("plan_use", of: request) != "false")
    case "decline": decision = .decline(error: field("error", of: request) ?? "access_denied")
    default: return .json(["error": "'decision' must be approve or decline"], status: 400)
    }
    do throws(AuthorizationRequest.Refusal) {
      let location = try authorize.decide(
        field("address", of: request) ?? "", decision, issuers: browser.issuers(of: request))
      return .json(["ok": true, "location": .string(location)])
    } catch {
      return .json(["error": .string(error.location)], status: 400)
    }
  }

  /// Sets the parameters that replace those of each callback from now on; none restores the usual ones.
  func changeCallbacks(_ request: HTTPServerRequest) {
    let members = (try? ChappieJSONValue(parsing: request.body.span))?.objectValue ?? [:]
    browser.callbackChanges = request.form ?? members.mapValues { $0.stringValue ?? "" }
  }

  func setRefreshLifetime(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let seconds = field("seconds", of: request).flatMap({ Int($0) }), (0...10_000_000).contains(seconds) else {
      return .json(["error": "'seconds' must be a number from 0 to 10000000"], status: 400)
    }
    browser.tokens.refreshLifetime = .seconds(seconds)
    return .json(["ok": true])
  }

  /// Ends the sign-ins of one application, or of all, as a user does in the settings of ChatGPT.
  func disconnect(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let clientID = field("client_id", of: request)
    browser.tokens.revoke { clientID == nil || $0.clientID == clientID }
    return .json(["ok": true])
  }

  /// Removes one application, or all: its client id is unknown from now on.
  func remove(_ request: HTTPServerRequest) -> HTTPServerResponse {
    browser.registrations.remove(field("client_id", of: request))
    return disconnect(request)
  }

  func setPlanUse(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let state = field("state", of: request).flatMap(Registrations.PlanUse.init) else {
      return .json(["error": .string("'state' must be one of \(names(Registrations.PlanUse.self))")], status: 400)
    }
    guard browser.registrations.setPlanUse(state, of: field("client_id", of: request)) else {
      return .json(["error": "there is no such application"], status: 404)
    }
    return .json(["ok": true])
  }

  func setEarlyRefresh(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let answer = field("answer", of: request).flatMap(StandInConfiguration.EarlyRefresh.init) else {
      return .json(
        ["error": .string("'answer' must be one of \(names(StandInConfiguration.EarlyRefresh.self))")], status: 400)
    }
    browser.tokens.earlyRefresh = answer
    return .json(["ok": true])
  }

  private func names<Value: CaseIterable & RawRepresentable<String>>(_ type: Value.Type) -> String {
    type.allCases.map(\.rawValue).joined(separator: ", ")
  }
}
