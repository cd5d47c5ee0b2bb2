import ChappieSDK
import GLibBridge
import HTTPTestServer

/// `/sandbox/…`: requests that control the stand-in, from tests or from a terminal.
extension StandInCore {
  /// Answers a control request; nil for any other path.
  func control(_ request: HTTPServerRequest) -> HTTPServerResponse? {
    switch (request.method, request.path) {
    case ("GET", "/sandbox/state"): return .json(state.json)
    case ("POST", "/sandbox/approve"): return decide(request, user: user(field("user", of: request)))
    case ("POST", "/sandbox/decline"): return decide(request, user: nil)
    case ("POST", "/sandbox/scenario"): return load(request)
    case ("DELETE", "/sandbox/scenario"): scenario.load([])
    case ("POST", "/sandbox/models"): return change { try replaceModels(request.body) }
    case ("POST", "/sandbox/retire"): return retire(request, true)
    case ("POST", "/sandbox/restore"): return retire(request, false)
    case ("POST", "/sandbox/usage"): return change { try setUsage(request.body) }
    case ("POST", "/sandbox/access-token-lifetime"): return setLifetime(request)
    case ("POST", "/sandbox/clock"): return setClock(request)
    case ("POST", "/sandbox/expire-access-tokens"): expireAccessTokens()
    case ("POST", "/sandbox/revoke-refresh-tokens"): revokeRefreshTokens()
    case ("POST", "/sandbox/authorize"): return authorize(request)
    case ("POST", "/sandbox/callback"): changeCallbacks(request)
    case ("POST", "/sandbox/refresh-token-lifetime"): return setRefreshLifetime(request)
    case ("POST", "/sandbox/rotate-keys"): browser.keys.rotate(keepsOlder: field("keep", of: request) != "false")
    case ("POST", "/sandbox/disconnect"): return disconnect(request)
    case ("POST", "/sandbox/remove"): return remove(request)
    case ("POST", "/sandbox/plan-use"): return setPlanUse(request)
    case ("POST", "/sandbox/early-refresh"): return setEarlyRefresh(request)
    case ("POST", "/sandbox/close-sockets"): backend.closeSockets()
    default: return nil
    }
    return .json(["ok": true])
  }

  private func decide(_ request: HTTPServerRequest, user: StandInUser?) -> HTTPServerResponse {
    guard devices.decide(userCode: field("user_code", of: request) ?? "", user: user) else {
      return .json(["error": "no sign-in waits for this user_code"], status: 404)
    }
    return .json(["ok": true])
  }

  private func retire(_ request: HTTPServerRequest, _ isRetired: Bool) -> HTTPServerResponse {
    guard backend.models.setRetired(field("model", of: request) ?? "", isRetired) else {
      return .json(["error": "the catalogue has no such model"], status: 404)
    }
    return .json(["ok": true, "etag": .string(backend.models.etag)])
  }

  private func setLifetime(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let seconds = field("seconds", of: request).flatMap({ Int($0) }), seconds > 0 else {
      return .json(["error": "'seconds' must be a number from 1 on"], status: 400)
    }
    tokens.lifetime = .seconds(seconds)
    browser.tokens.lifetime = .seconds(seconds)
    return .json(["ok": true])
  }

  private func setClock(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let years = -1_000_000_000...1_000_000_000
    guard let seconds = field("ahead", of: request).flatMap({ Int($0) }), years.contains(seconds) else {
      return .json(["error": "'ahead' must be a number from -1000000000 to 1000000000"], status: 400)
    }
    clock.ahead = seconds
    return .json(["ok": true])
  }

  private func load(_ request: HTTPServerRequest) -> HTTPServerResponse {
    change {
      scenario.load(try StandInRule.list(parsing: request.body))
      return ["ok": true, "rules": ChappieJSONValue(scenario.remaining)]
    }
  }

  /// Makes a change, and answers with its result or with its error.
  private func change(_ make: () throws -> ChappieJSONValue) -> HTTPServerResponse {
    do {
      return .json(try make())
    } catch {
      return .json(["error": .string("\(error)")], status: 400)
    }
  }

  /// A field from the query, the form or the JSON object of a request.
  func field(_ name: String, of request: HTTPServerRequest) -> String? {
    request.query[name] ?? request.form?[name]
      ?? (try? ChappieJSONValue(parsing: request.body.span))?[name]?.stringValue
  }
}

extension StandInCore {
  /// Replaces the models, and returns the answer to the control request.
  @discardableResult
  func replaceModels(_ json: [UInt8]) throws(StandInScenarioError) -> ChappieJSONValue {
    do throws(InvalidRequest) {
      try backend.models.replace((try? ChappieJSONValue(parsing: json.span)) ?? .null)
      return ["ok": true, "etag": .string(backend.models.etag)]
    } catch {
      throw StandInScenarioError(description: error.detail)
    }
  }

  /// Sets the usage of the plan, and returns the answer to the control request.
  @discardableResult
  func setUsage(_ json: [UInt8]) throws(StandInScenarioError) -> ChappieJSONValue {
    do throws(StandInRule.Reader.Problem) {
      try backend.usage.set((try? ChappieJSONValue(parsing: json.span)) ?? .null)
      return ["ok": true]
    } catch {
      throw StandInScenarioError(description: error.text)
    }
  }
}
