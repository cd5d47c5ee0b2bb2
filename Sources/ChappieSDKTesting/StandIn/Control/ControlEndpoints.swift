import GLibBridge

/// `/sandbox/…`: what tests and people at a terminal steer the stand-in with.
extension StandInCore {
  /// Answers a control request; nil when there is no such address.
  func control(_ request: HTTPServerRequest) -> HTTPServerResponse? {
    switch (request.method, request.path) {
    case ("GET", "/sandbox/state"): return .json(state.json)
    case ("POST", "/sandbox/approve"): return decide(request, user: user(field("user", of: request)))
    case ("POST", "/sandbox/decline"): return decide(request, user: nil)
    case ("POST", "/sandbox/scenario"): return load(request)
    case ("DELETE", "/sandbox/scenario"): scenario.load([])
    case ("POST", "/sandbox/models"): return replaceModels(request)
    case ("POST", "/sandbox/usage"): return setUsage(request)
    case ("POST", "/sandbox/expire-access-tokens"): tokens.expireAccessTokens()
    case ("POST", "/sandbox/revoke-refresh-tokens"): tokens.revokeRefreshTokens()
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

  private func load(_ request: HTTPServerRequest) -> HTTPServerResponse {
    do throws(StandInScenarioError) {
      scenario.load(try StandInRule.list(parsing: request.body))
      return .json(["ok": true, "rules": JSONValue(scenario.remaining)])
    } catch {
      return .json(["error": .string(error.description)], status: 400)
    }
  }

  private func replaceModels(_ request: HTTPServerRequest) -> HTTPServerResponse {
    do throws(Refusal) {
      try backend.models.replace((try? JSONValue(parsing: request.body)) ?? nil)
      return .json(["ok": true, "etag": .string(backend.models.etag)])
    } catch {
      return .json(["error": .string(error.detail)], status: 400)
    }
  }

  private func setUsage(_ request: HTTPServerRequest) -> HTTPServerResponse {
    do throws(StandInRule.Reader.Problem) {
      try backend.usage.set((try? JSONValue(parsing: request.body)) ?? nil)
      return .json(["ok": true])
    } catch {
      return .json(["error": .string(error.text)], status: 400)
    }
  }

  /// A field of the query, of a form or of a JSON object.
  private func field(_ name: String, of request: HTTPServerRequest) -> String? {
    request.query[name] ?? request.form?[name] ?? (try? JSONValue(parsing: request.body))?[name]?.string
  }
}
