// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

/// The parts of the stand-in, and the routing of requests to them.
@GLibActor
final class StandInCore {
  let configuration: StandInConfiguration
  let backend: BackendState
  let browser: BrowserIssuer
  let clock = StandInClock()
  let issuer: Issuer
  private let publicAPI: PublicAPI

  init(_ configuration: StandInConfiguration) {
    self.configuration = configuration
    issuer = Issuer(configuration, clock: clock)
    browser = BrowserIssuer(configuration, clock: clock)
    backend = BackendState(configuration, tokens: issuer.tokens)
    publicAPI = PublicAPI(issuer: browser, backend: backend)
  }

  /// The requests so far, and the current state.
  var state: StandInState {
    var state = backend.state
    state.liveRefreshTokens = issuer.tokens.liveRefreshTokens + browser.tokens.liveRefreshTokens
    state.revokedRefreshTokens = issuer.tokens.revokedRefreshTokens + browser.tokens.revokedRefreshTokens
    state.registrations = browser.registrations.all.map {
      .init(
        clientID: $0.clientID, name: $0.name, user: $0.user.email, hosts: $0.hosts, allowsPlanUse: $0.allowsPlanUse)
    }
    state.remainingRules = backend.rules.count
    return state
  }

  // MARK: Routes

  func answer(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    if let response = control(request) { return clock.date(.whole(response)) }
    let endpoint = StandInEndpoint(of: request)
    backend.note(request, of: endpoint)
    let answer: HTTPServerAnswer
    do {
      answer = try await self.answer(request, at: endpoint)
    } catch let refusal as HTTPServerResponse {
      answer = .whole(refusal)
    }
    return clock.date(endpoint.isPublic ? PublicAPI.identified(answer) : answer)
  }

  private func answer(_ request: HTTPServerRequest, at endpoint: StandInEndpoint) async throws -> HTTPServerAnswer {
    if let methods = endpoint.methods, !methods.contains(request.method) {
      throw HTTPServerResponse(status: 405, headers: [("allow", methods.joined(separator: ", "))])
    }
    switch endpoint {
    case .responses: return try await backend.respond(request)
    case .handshake: return try await backend.connect(request)
    case .apiResponses: return try await publicAPI.respond(request)
    default: return try await play(endpoint, request)
    }
  }

  /// Answers a request by the next rule of the scenario, or as usual if there is no rule. A request with a late or lost
  /// answer still takes effect at once: a refresh rotates the token even if its answer never arrives.
  private func play(_ endpoint: StandInEndpoint, _ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    let rule = backend.take(endpoint) ?? StandInRule()
    guard rule.kind == .change else { return try await rule.replacement(backend.releases) ?? .drop }
    var response: HTTPServerResponse
    do throws(HTTPServerResponse) {
      response = try self.response(endpoint, request, rule.idToken)
    } catch {
      response = error
    }
    response.replaceMembers(rule.members)
    response.headers += rule.headers
    try await rule.waitForDelay(backend.releases)
    return rule.dropAfter == nil ? .whole(response) : .drop
  }

  private func response(
    _ endpoint: StandInEndpoint, _ request: HTTPServerRequest, _ change: ChappieJSONValue?
  ) throws(HTTPServerResponse) -> HTTPServerResponse {
    switch endpoint {
    case .userCode: issuer.userCode(request)
    case .poll: issuer.poll(request)
    case .token: try issuer.exchange(request)
    case .refresh: issuer.refresh(request)
    case .revoke: issuer.revoke(request)
    case .page: issuer.page(request)
    case .models: try backend.listModels(request)
    case .usage: try backend.showUsage(request)
    case .accounts: try backend.listAccounts(request)
    case .discovery: browser.discovery(request)
    case .jwks: .json(browser.keys.json, headers: [("cache-control", "public, max-age=3600")])
    case .authorize: browser.authorize(request)
    case .browserToken: try browser.exchange(request, change)
    case .browserRefresh: try browser.refresh(request, change)
    case .browserRevoke: try browser.revoke(request)
    case .apiModels: try publicAPI.listModels(request)
    case .apiOther: PublicAPI.otherRoute
    case .responses, .prewarm, .handshake, .apiResponses, .unknown: .detail("Not Found", status: 404)
    }
  }
}
