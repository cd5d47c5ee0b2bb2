import GLibBridge
import HTTPTestServer

/// The issuer and the ChatGPT backend in one server on 127.0.0.1, for tests and for trying things out.
///
/// It speaks the wire protocol of both to the letter, knows no real account, and can be told to misbehave. Every
/// secret that it hands out holds the text `SANDBOXSECRET`.
@GLibActor
public final class StandInBackend {
  /// Where the stand-in itself listens, such as `http://127.0.0.1:49152`.
  public let localAddress: String
  /// The issuer's address: the configured public one, or else the local one.
  public let issuer: String
  /// The backend's address, which ends in `/backend-api`.
  public let baseURL: String
  /// The page on which a person approves a sign-in.
  public let devicePage: String
  private let server: HTTPServer
  private let core: StandInCore

  /// Starts to serve.
  ///
  /// - Throws: ``GLibError`` when the port is taken.
  public init(_ configuration: StandInConfiguration = StandInConfiguration()) throws {
    let core = StandInCore(configuration)
    let log = configuration.log.map(RequestLog.init)
    server = try HTTPServer(port: configuration.port) { request in
      guard let log else { return try await core.answer(request) }
      return try await log.follow(request) { try await core.answer(request) }
    }
    self.core = core
    localAddress = "http://127.0.0.1:\(server.port)"
    issuer = configuration.publicURL ?? localAddress
    baseURL = issuer + "/backend-api"
    devicePage = issuer + "/codex/device"
  }

  /// Stops serving and cuts what is being answered.
  public func stop() async {
    await server.stop()
  }

  /// What the stand-in was asked so far and what it holds.
  public var state: StandInState { core.state }

  /// Approves a sign-in that waits.
  ///
  /// - Parameter user: who approves; nil is the configured user.
  /// - Returns: whether a sign-in waits with this code.
  @discardableResult
  public func approve(userCode: String, user: StandInUser? = nil) -> Bool {
    core.devices.decide(userCode: userCode, user: user ?? core.configuration.user)
  }

  /// Declines a sign-in that waits.
  ///
  /// - Returns: whether a sign-in waits with this code.
  @discardableResult
  public func decline(userCode: String) -> Bool {
    core.devices.decide(userCode: userCode, user: nil)
  }

  /// Hands out the tokens of a sign-in that no page and no code was needed for.
  func signIn(_ user: StandInUser?) -> TokenStore.Tokens {
    core.tokens.signIn(
      user ?? core.configuration.user, issuer: issuer, clientID: core.configuration.clientID)
  }

  /// Makes the backend answer 401 to one access token.
  func revokeAccessToken(_ token: String) {
    core.tokens.revoke(token)
  }

  /// Makes the backend answer 401 to all access tokens handed out so far.
  public func expireAccessTokens() {
    core.tokens.expireAccessTokens()
  }

  /// Makes the issuer refuse all refresh tokens handed out so far.
  public func revokeRefreshTokens() {
    core.tokens.revokeRefreshTokens()
  }

  /// Replaces the scenario: a JSON list of rules, as the README of `chappie-sandbox` describes it. `[]` clears it.
  ///
  /// - Throws: ``StandInScenarioError``.
  public func play(_ scenario: String) throws {
    core.scenario.load(try StandInRule.list(parsing: Array(scenario.utf8)))
  }

  /// Replaces the models: a JSON list of entries, as the README of `chappie-sandbox` describes it.
  ///
  /// - Throws: ``StandInScenarioError``.
  public func replaceModels(_ models: String) throws {
    try core.replaceModels(Array(models.utf8))
  }

  /// Retires a model: it is listed no more, and requests that name it are refused.
  ///
  /// - Returns: whether the catalogue has the model.
  @discardableResult
  public func retireModel(_ slug: String) -> Bool {
    core.backend.models.setRetired(slug, true)
  }

  /// Lists a model again that was retired, also one that the real backend has retired: `gpt-5.5`.
  ///
  /// - Returns: whether the catalogue has the model.
  @discardableResult
  public func restoreModel(_ slug: String) -> Bool {
    core.backend.models.setRetired(slug, false)
  }

  /// Sets how much of the plan is used: a JSON object, as the README of `chappie-sandbox` describes it.
  ///
  /// - Throws: ``StandInScenarioError``.
  public func setUsage(_ usage: String) throws {
    try core.setUsage(Array(usage.utf8))
  }
}
