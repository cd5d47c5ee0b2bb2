import GLibBridge
import HTTPTestServer

/// The parts of the stand-in, and the routing of requests to them.
@GLibActor
final class StandInCore {
  let configuration: StandInConfiguration
  let devices: DeviceAuthorizations
  let tokens: TokenStore
  let scenario = ScenarioPlayer()
  let backend: BackendState
  let browser: BrowserIssuer
  let clock = StandInClock()
  private let issuer: Issuer
  private let record = RequestRecord()

  init(_ configuration: StandInConfiguration) {
    self.configuration = configuration
    devices = DeviceAuthorizations(lifetime: configuration.userCodeLifetime)
    tokens = TokenStore(lifetime: configuration.accessTokenLifetime, grace: configuration.refreshGrace, clock: clock)
    issuer = Issuer(configuration: configuration, devices: devices, tokens: tokens)
    browser = BrowserIssuer(configuration, clock: clock)
    backend = BackendState(configuration, tokens: tokens, scenario: scenario, record: record)
  }

  /// The requests so far, and the current state.
  var state: StandInState {
    var state = record.state
    state.liveRefreshTokens = tokens.liveRefreshTokens + browser.tokens.liveRefreshTokens
    state.revokedRefreshTokens = tokens.revokedRefreshTokens + browser.tokens.revokedRefreshTokens
    state.registrations = browser.registrations.all.map {
      .init(
        clientID: $0.clientID, name: $0.name, user: $0.user.email, hosts: $0.hosts, allowsPlanUse: $0.allowsPlanUse)
    }
    state.remainingRules = scenario.remaining
    return state
  }

  /// The user with an email address. Nil and the address of the configured user give the configured user.
  func user(_ email: String?) -> StandInUser {
    guard let email, !email.isEmpty, email != configuration.user.email else { return configuration.user }
    return StandInUser(email: email)
  }

  // MARK: Routes

  func answer(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    clock.date(try await route(request))
  }

  private func route(_ request: HTTPServerRequest) async throws -> HTTPServerAnswer {
    if let response = control(request) { return .whole(response) }
    let endpoint = Self.endpoint(of: request)
    record.count(endpoint)
    record.noteClient(request, of: endpoint)
    if let method = endpoint.method, request.method != method {
      return .whole(HTTPServerResponse(.init(status: 405, headers: [("allow", method)])))
    }
    switch endpoint {
    case .responses, .prewarm: return try await ResponsesEndpoint(backend: backend).answer(request)
    case .handshake: return try await SocketEndpoint(backend: backend).answer(request)
    case .models: return try await play(endpoint) { ModelsEndpoint(backend: backend).answer(request) }
    case .usage: return try await play(endpoint) { UsageEndpoint(backend: backend).answer(request) }
    case .accounts: return try await play(endpoint) { AccountsEndpoint(backend: backend).answer(request) }
    case .discovery: return try await play(endpoint) { browser.discovery(request) }
    case .jwks: return try await play(endpoint) { browser.publishedKeys() }
    case .authorize: return try await play(endpoint) { authorize.answer(request) }
    case .browserToken: return try await playTokens(endpoint) { browserTokens.exchange(request, $0) }
    case .browserRefresh: return try await playTokens(endpoint) { browserTokens.refresh(request, $0) }
    case .browserRevoke: return try await play(endpoint) { browserTokens.revoke(request) }
    case .apiModels:
      return PublicAPIAccess.identified(
        try await play(endpoint) { PublicModelsEndpoint(access: access, models: backend.models).answer(request) })
    case .apiResponses:
      return PublicAPIAccess.identified(
        try await PublicResponsesEndpoint(access: access, backend: backend).answer(request))
    case .apiOther: return PublicAPIAccess.identified(.whole(PublicAPIAccess.otherRoute))
    case .page: return .whole(page(request))
    case .unknown: return .whole(.detail("Not Found", status: 404))
    case .userCode: return try await play(endpoint) { issuer.userCode(request) }
    case .poll: return try await play(endpoint) { issuer.poll(request) }
    case .token: return try await play(endpoint) { issuer.exchange(request) }
    case .refresh: return try await play(endpoint) { issuer.refresh(request) }
    case .revoke: return try await play(endpoint) { issuer.revoke(request) }
    }
  }

  private static func endpoint(of request: HTTPServerRequest) -> StandInEndpoint {
    switch request.path {
    case "/api/accounts/deviceauth/usercode": .userCode
    case "/api/accounts/deviceauth/token": .poll
    case "/oauth/token": request.mediaType == "application/json" ? .refresh : .token
    case "/oauth/revoke": .revoke
    case "/backend-api/codex/responses": request.asksForWebSocket ? .handshake : .responses
    case "/backend-api/codex/models": .models
    case "/backend-api/wham/usage": .usage
    case "/backend-api/wham/accounts/check": .accounts
    case "/.well-known/openid-configuration": .discovery
    case "/.well-known/jwks.json": .jwks
    case "/api/accounts/authorize": .authorize
    case "/api/accounts/oauth/token": request.form?["grant_type"] == "refresh_token" ? .browserRefresh : .browserToken
    case "/api/accounts/oauth/revoke": .browserRevoke
    case "/v1/models": .apiModels
    case "/v1/responses": .apiResponses
    case "/codex/device": .page
    default: request.path.hasPrefix("/v1/") ? .apiOther : .unknown
    }
  }

  /// Decides on authorization requests.
  var authorize: AuthorizeEndpoint { AuthorizeEndpoint(issuer: browser) { self.user($0) } }

  private var browserTokens: BrowserTokenEndpoint { BrowserTokenEndpoint(issuer: browser) }

  private var access: PublicAPIAccess { PublicAPIAccess(issuer: browser) }

  private func page(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let page = DevicePage(defaultUser: configuration.user, devices: devices) { self.user($0) }
    switch request.method {
    case "GET", "HEAD": return page.show(request)
    case "POST": return page.decide(request)
    default: return HTTPServerResponse(.init(status: 405, headers: [("allow", "GET, HEAD, POST")]))
    }
  }

  /// Answers a request by the next rule of the scenario, or with `normal` if there is no rule. A request with a late or
  /// lost answer still takes effect at once: a refresh rotates the token even if its answer never arrives.
  private func play(
    _ endpoint: StandInEndpoint, _ normal: () -> HTTPServerResponse
  ) async throws -> HTTPServerAnswer {
    try await playTokens(endpoint) { _ in normal() }
  }

  /// As ``play(_:_:)``, for an answer with an ID token that a rule may change.
  private func playTokens(
    _ endpoint: StandInEndpoint, _ normal: (IDTokenChange?) -> HTTPServerResponse
  ) async throws -> HTTPServerAnswer {
    guard let rule = scenario.take(endpoint) else { return .whole(normal(nil)) }
    guard let change = rule.change else { return try await rule.replacement() ?? .drop }
    var response = normal(change.idToken)
    response.replaceMembers(change.members)
    response.head.headers += change.headers
    try await rule.waitForDelay()
    return change.ending == .complete ? .whole(response) : .drop
  }
}
