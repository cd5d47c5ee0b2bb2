// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

/// A server on 127.0.0.1 that stands in for the issuers, for the ChatGPT backend and for the Responses API on a plan, for
/// tests and for development.
///
/// It implements the wire protocol of all, has no real accounts, and fails on request. Every secret that it issues
/// holds the text `SANDBOXSECRET`.
///
/// Once a process has made one, or a configuration for tests, its requests go to the loopback and to the servers that
/// such configurations name alone. A request to any other host, such as a live server, fails with
/// ``ChappieClientError/network(_:)`` or ``ChappieAuthError/network(_:)``, and the error names the host.
@GLibActor
public final class StandInBackend {
  /// The address at which the server listens, such as `http://127.0.0.1:49152`.
  public let localAddress: String
  /// The address of the issuer: the configured public one, or the local one.
  public let issuer: String
  /// The address of the backend, ending in `/backend-api`.
  public let baseURL: String
  /// The address of the public API, ending in `/v1`.
  public let publicAPI: String
  /// The address of the page on which a person approves a sign-in.
  public let devicePage: String
  private let server: HTTPServer
  private let core: StandInCore

  /// Starts the server.
  ///
  /// - Throws: `GLibError` if the port is in use.
  public init(_ configuration: StandInConfiguration = StandInConfiguration()) throws {
    TestHosts.allow([])
    let core = StandInCore(configuration)
    server = try HTTPServer(
      port: configuration.port, log: { configuration.log?(Self.line(of: $0, status: $1, time: $2)) }
    ) { request in try await core.answer(request) }
    self.core = core
    localAddress = "http://127.0.0.1:\(server.port)"
    issuer = configuration.publicURL ?? localAddress
    baseURL = issuer + "/backend-api"
    publicAPI = issuer + "/v1"
    devicePage = issuer + "/codex/device"
  }

  /// A line of the log, without query and body, because they hold secrets.
  private static func line(of request: HTTPServerRequest, status: Int, time: Duration) -> String {
    // The path comes from the client, and must not break the line.
    let path = String(request.path.map { $0.isASCII && !$0.isNewline && $0 >= " " ? $0 : "?" })
    let outcome = status == 0 ? "no answer" : "\(status)"
    return "\(request.method) \(path) \(outcome), \(Int(time / .milliseconds(1))) ms"
  }

  /// Stops the server, and cuts all connections.
  public func stop() async {
    await server.stop()
  }

  /// The requests so far, and the current state of the server.
  public var state: StandInState { core.state }

  /// Approves a pending sign-in.
  ///
  /// - Parameters:
  ///   - userCode: the code, in any case, with or without its dash.
  ///   - user: the user who approves; nil for the configured user.
  /// - Returns: whether a pending sign-in has this code.
  @discardableResult
  public func approve(userCode: String, user: StandInUser? = nil) -> Bool {
    core.issuer.decide(userCode: userCode, user: user ?? core.configuration.user)
  }

  /// Declines a pending sign-in.
  ///
  /// - Returns: whether a pending sign-in has this code.
  @discardableResult
  public func decline(userCode: String) -> Bool {
    core.issuer.decide(userCode: userCode, user: nil)
  }

  /// Approves a sign-in in the browser, as a person would who opens `address` and clicks.
  ///
  /// - Parameters:
  ///   - address: the address that the program opens in the browser.
  ///   - user: the user who approves; nil for the configured user.
  ///   - allowsPlanUse: whether the user lets the application use the plan.
  /// - Returns: the address to which the browser would go: that of the program's listener, with a code or an error. Nil
  ///   if the browser would stay on a page with an error.
  public func approve(inBrowser address: ChappieAddress, user: StandInUser? = nil, allowsPlanUse: Bool = true)
    -> String?
  {
    decide(address.address, .approve(user ?? core.configuration.user, name: nil, allowsPlanUse: allowsPlanUse))
  }

  /// Declines a sign-in in the browser.
  ///
  /// - Returns: as ``approve(inBrowser:user:allowsPlanUse:)``.
  public func decline(inBrowser address: ChappieAddress) -> String? {
    decide(address.address, .decline(error: "access_denied"))
  }

  private func decide(_ address: String, _ decision: BrowserIssuer.Decision) -> String? {
    do throws(AuthorizationRequest.Refusal) {
      return try core.browser.decide(address, decision, issuers: [issuer])
    } catch {
      if case .callback(let location) = error { return location }
      return nil
    }
  }

  /// Replaces the key that signs ID tokens.
  ///
  /// - Parameter keepsOlder: whether the older keys stay published.
  public func rotateKeys(keepsOlder: Bool = true) {
    core.browser.keys.rotate(keepsOlder: keepsOlder)
  }

  /// Issues the tokens of a sign-in without a code.
  func signIn(_ user: StandInUser?) -> TokenStore.Tokens {
    core.issuer.signIn(user ?? core.configuration.user, issuer: issuer)
  }

  /// Makes the backend refuse one access token with 401.
  func revokeAccessToken(_ token: String) {
    core.issuer.tokens.revoke(token)
  }

  /// Makes the backend refuse all access tokens so far with 401.
  public func expireAccessTokens() {
    core.expireAccessTokens()
  }

  /// Makes the issuer refuse all refresh tokens so far.
  public func revokeRefreshTokens() {
    core.revokeRefreshTokens()
  }

  /// Replaces the scenario: a JSON list of rules, as the README of `chappie-sandbox` describes it. `[]` clears it.
  ///
  /// - Throws: ``StandInScenarioError``.
  public func play(_ scenario: String) throws {
    core.backend.rules = try StandInRule.list(parsing: Array(scenario.utf8))
  }

  /// Replaces the models: a JSON list of entries, as the README of `chappie-sandbox` describes it.
  ///
  /// - Throws: ``StandInScenarioError``.
  public func replaceModels(_ models: String) throws {
    try core.backend.models.replace(ChappieJSONValue(body: Array(models.utf8)))
  }

  /// Retires a model: the list omits it, and requests for it are refused.
  ///
  /// - Returns: whether the catalogue has the model.
  @discardableResult
  public func retireModel(_ slug: String) -> Bool {
    core.backend.models.setRetired(slug, true)
  }

  /// Restores a retired model, including one that the live backend has retired, such as `gpt-5.5`.
  ///
  /// - Returns: whether the catalogue has the model.
  @discardableResult
  public func restoreModel(_ slug: String) -> Bool {
    core.backend.models.setRetired(slug, false)
  }

  /// Sets the usage of the plan: a JSON object, as the README of `chappie-sandbox` describes it.
  ///
  /// - Throws: ``StandInScenarioError``.
  public func setUsage(_ usage: String) throws {
    try core.backend.usage.set(ChappieJSONValue(body: Array(usage.utf8)))
  }
}
