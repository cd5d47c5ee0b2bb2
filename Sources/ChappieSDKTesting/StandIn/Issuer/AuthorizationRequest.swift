// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials
import GLibBridge

/// An authorization request that has passed the checks.
struct AuthorizationRequest: Sendable {
  /// A refusal of the request.
  enum Refusal: Error {
    /// The redirect address cannot be trusted, so the browser shows the reason.
    case page(String)
    /// The browser brings the error to the client, at this address.
    case callback(String)
  }

  /// The scope of plan use, which a user may decline.
  static let planUseScope = "chatgpt.tokens.use.direct"
  static let scopes = ["openid", "profile", "email", "offline_access", "resource.invoke", planUseScope]
  /// The resource of the live server. The stand-in accepts it, and its own address.
  static let liveResource = "https://api.openai.com/v1"

  static func resources(_ issuers: [String]) -> [String] { [liveResource] + issuers.map { $0 + "/v1" } }

  private let parameters: [String: String]
  let redirect: RedirectAddress
  /// The address of the issuer, as the client knows it.
  let issuer: String

  /// A parameter; empty if it is missing.
  subscript(name: String) -> String { parameters[name] ?? "" }

  var clientID: String { self["client_id"] }
  /// Whether the application asks for a client id, with the name for the user.
  var isNew: Bool { clientID == Registrations.unregistered }
  var scopes: [String] { self["scope"].split(separator: " ").map(String.init) }
  /// Whether the client asks for a decision even if there was one.
  var asksForConsent: Bool { self["prompt"] == "consent" || self["force_reconsent"] == "true" }

  /// Checks a request.
  ///
  /// - Parameter issuers: the addresses that the client may know, the most likely first.
  @GLibActor
  init(checking parameters: [String: String], _ registrations: Registrations, issuers: [String]) throws(Refusal) {
    guard let redirect = RedirectAddress(parameters["redirect_uri"] ?? "") else {
      throw .page("redirect_uri must be http, the literal 127.0.0.1, a port and a path.")
    }
    self.parameters = parameters
    self.redirect = redirect
    issuer = issuers[0]
    if !isNew {
      guard let known = registrations[clientID] else { throw .page("client_id is unknown.") }
      guard known.redirectPath == redirect.path else { throw .page("redirect_uri has another path than before.") }
    }
    let resources = Self.resources(issuers)
    let checks = [
      (!isNew || !self["agent_name_hint"].isEmpty, "invalid_request", "agent_name_hint is missing."),
      (
        isNew || parameters["agent_name_hint"] == nil, "invalid_request", "A registered client omits agent_name_hint."
      ),
      (!self["state"].isEmpty, "invalid_request", "state is missing."),
      (!self["nonce"].isEmpty, "invalid_request", "nonce is missing."),
      (self["response_type"] == "code", "unsupported_response_type", "response_type must be code."),
      (
        self["code_challenge"].utf8.count == 43 && self["code_challenge_method"] == "S256", "invalid_request",
        "A code_challenge of the method S256 is needed."
      ),
      (
        self["ext_agent_host_id"].prefixMatch(of: /(urn:uuid|urn:ietf:params:oauth:jwk-thumbprint|did:key):./) != nil,
        "invalid_request", "ext_agent_host_id is missing, or has another form."
      ),
      (
        resources.contains(self["resource"]), "invalid_target",
        "resource must be \(resources.joined(separator: " or "))."
      ),
      (
        scopes.contains("openid") && scopes.allSatisfy { Self.scopes.contains($0) }, "invalid_scope",
        "scope lacks openid, or has an unknown part."
      ),
    ]
    if let fault = checks.first(where: { !$0.0 }) {
      let error: HeaderFields = [("error", fault.1), ("error_description", fault.2), ("state", self["state"])]
      throw .callback(redirect.adding(error.filter { !$0.value.isEmpty }))
    }
  }
}

/// The address of a client's listener: `http`, the literal 127.0.0.1, a port, and a path.
struct RedirectAddress {
  /// The address as the client spelled it.
  let text: String
  /// The path, which stays the same for the life of a registration. The port may differ each time.
  let path: String

  /// Nil for any other address, `localhost` included.
  init?(_ text: String) {
    guard let url = URL(string: text), url.scheme == "http", url.host() == "127.0.0.1", url.port != nil,
      url.user() == nil, url.query() == nil, url.fragment() == nil, url.path().hasPrefix("/")
    else { return nil }
    self.text = text
    path = url.path()
  }

  /// The address with parameters.
  func adding(_ parameters: HeaderFields) -> String {
    text + "?" + parameters.map { "\($0.name)=\(FormCoding.escape($0.value))" }.joined(separator: "&")
  }
}
