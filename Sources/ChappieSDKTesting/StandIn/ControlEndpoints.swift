// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

/// `/sandbox/…`: requests that control the stand-in, from tests or from a terminal.
extension StandInCore {
  /// Answers a control request; nil for any other path.
  func control(_ request: HTTPServerRequest) -> HTTPServerResponse? {
    if request.method == "GET", request.path == "/sandbox/state" { return .json(state.json) }
    do {
      guard let members = try change(request, ControlFields(request: request)) else { return nil }
      return .json(.object(members.merging(["ok": true]) { $1 }))
    } catch {
      return error as? HTTPServerResponse ?? .problem("\(error)")
    }
  }

  /// Makes a change, and returns the members of the answer; nil for any other path.
  private func change(_ request: HTTPServerRequest, _ fields: ControlFields) throws -> [String: ChappieJSONValue]? {
    switch (request.method, request.path) {
    case ("POST", "/sandbox/approve"): try decide(fields, configuration.user(fields["user"]))
    case ("POST", "/sandbox/decline"): try decide(fields, nil)
    case ("POST", "/sandbox/authorize"): return ["location": .string(try authorize(request, fields))]
    case ("POST", "/sandbox/callback"):
      let members = request.json.objectValue ?? [:]
      browser.callbackChanges = request.form ?? members.mapValues { $0.stringValue ?? "" }
    case ("POST", "/sandbox/scenario"):
      backend.rules = try StandInRule.list(parsing: request.body)
      return ["rules": ChappieJSONValue(backend.rules.count)]
    case ("DELETE", "/sandbox/scenario"): backend.rules = []
    case ("POST", "/sandbox/models"):
      try backend.models.replace(request.json)
      return ["etag": .string(backend.models.etag)]
    case ("POST", "/sandbox/retire"), ("POST", "/sandbox/restore"):
      guard backend.models.setRetired(fields["model"] ?? "", request.path == "/sandbox/retire") else {
        throw HTTPServerResponse.problem("the catalogue has no such model", status: 404)
      }
      return ["etag": .string(backend.models.etag)]
    case ("POST", "/sandbox/usage"): try backend.usage.set(request.json)
    case ("POST", "/sandbox/access-token-lifetime"):
      let lifetime = Duration.seconds(try fields.number("seconds", in: 1...1_000_000_000))
      (issuer.tokens.lifetime, browser.tokens.lifetime) = (lifetime, lifetime)
    case ("POST", "/sandbox/refresh-token-lifetime"):
      browser.tokens.refreshLifetime = .seconds(try fields.number("seconds", in: 0...10_000_000))
    case ("POST", "/sandbox/early-refresh"): browser.tokens.earlyRefresh = try fields.choice("answer")
    case ("POST", "/sandbox/clock"): clock.ahead = try fields.number("ahead", in: -1_000_000_000...1_000_000_000)
    case ("POST", "/sandbox/expire-access-tokens"): expireAccessTokens()
    case ("POST", "/sandbox/revoke-refresh-tokens"): revokeRefreshTokens()
    case ("POST", "/sandbox/rotate-keys"): browser.keys.rotate(keepsOlder: fields["keep"] != "false")
    case ("POST", "/sandbox/disconnect"): disconnect(fields["client_id"])
    case ("POST", "/sandbox/remove"):
      browser.registrations.remove(fields["client_id"])
      disconnect(fields["client_id"])
    case ("POST", "/sandbox/plan-use"):
      guard browser.registrations.setPlanUse(try fields.choice("state"), of: fields["client_id"]) else {
        throw HTTPServerResponse.problem("there is no such application", status: 404)
      }
    case ("POST", "/sandbox/close-sockets"): backend.closeSockets()
    case ("POST", "/sandbox/release"): backend.releases.notify(())
    default: return nil
    }
    return [:]
  }

  private func decide(_ fields: ControlFields, _ user: StandInUser?) throws {
    guard issuer.decide(userCode: fields["user_code"] ?? "", user: user) else {
      throw HTTPServerResponse.problem("no sign-in waits for this user_code", status: 404)
    }
  }

  /// Decides on an authorization request as a person in a browser would, and returns the address to which the browser
  /// would go.
  private func authorize(_ request: HTTPServerRequest, _ fields: ControlFields) throws -> String {
    let decision: BrowserIssuer.Decision
    switch fields["decision"] {
    case nil, "approve":
      decision = .approve(
        configuration.user(fields["user"]), name: fields["name"], allowsPlanUse: fields["plan_use"] != "false")
    case "decline": decision = .decline(error: fields["error"] ?? "access_denied")
    default: throw HTTPServerResponse.problem("'decision' must be approve or decline")
    }
    do throws(AuthorizationRequest.Refusal) {
      return try browser.decide(fields["address"] ?? "", decision, issuers: configuration.addresses(of: request))
    } catch {
      switch error {
      case .page(let text), .callback(let text): throw HTTPServerResponse.problem(text)
      }
    }
  }

  /// Ends the sign-ins of one application, or of all, as a user does in the settings of ChatGPT.
  private func disconnect(_ clientID: String?) {
    browser.tokens.revoke { clientID == nil || $0.clientID == clientID }
  }

  // MARK: Changes that tests make too

  /// Makes the backends refuse all access tokens so far.
  func expireAccessTokens() {
    issuer.tokens.expireAccessTokens()
    browser.tokens.expireAccessTokens()
  }

  /// Makes the issuers refuse all refresh tokens so far.
  func revokeRefreshTokens() {
    issuer.tokens.revokeRefreshTokens()
    browser.tokens.revokeRefreshTokens()
  }
}

/// The fields of a control request, from the query, the form or the JSON object.
private struct ControlFields {
  let request: HTTPServerRequest

  subscript(name: String) -> String? {
    request.query[name] ?? request.form?[name] ?? request.json[name]?.stringValue
  }

  func number(_ name: String, in range: ClosedRange<Int>) throws(HTTPServerResponse) -> Int {
    guard let number = self[name].flatMap({ Int($0) }), range.contains(number) else {
      throw .problem("'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func choice<Choice: CaseIterable & RawRepresentable<String>>(_ name: String) throws(HTTPServerResponse) -> Choice {
    guard let choice = self[name].flatMap(Choice.init) else {
      throw .problem("'\(name)' must be one of \(Choice.names)")
    }
    return choice
  }
}

extension HTTPServerResponse {
  /// The refusal of a control request.
  fileprivate static func problem(_ text: String, status: Int = 400) -> HTTPServerResponse {
    .json(["error": .string(text)], status: status)
  }
}
