// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import GLibBridge

/// The parameters of an authorization request that have passed the checks.
struct AuthorizationRequest: Sendable {
  /// A refusal of the request.
  enum Refusal: Error {
    /// The redirect address cannot be trusted, so the browser shows the reason.
    case page(String)
    /// The browser brings the error to the client, at this address.
    case callback(String)
  }

  enum Client: Sendable {
    /// An application that asks for a client id, with the name for the user.
    case new(name: String)
    case registered(clientID: String)
  }

  static let identityScopes = ["openid", "profile", "email", "offline_access"]
  /// The scope of plan use, which a user may decline.
  static let planUseScope = "chatgpt.tokens.use.direct"
  static let scopes = identityScopes + ["resource.invoke", planUseScope]
  /// The resource of the live server. The stand-in accepts it, and its own address.
  static let liveResource = "https://api.openai.com/v1"

  static func resources(_ issuers: [String]) -> [String] { [liveResource] + issuers.map { $0 + "/v1" } }

  let client: Client
  let redirect: RedirectAddress
  let state: String
  let nonce: String
  let challenge: String
  let scopes: [String]
  let host: String
  let resource: String
  /// The address of the issuer, as the client knows it.
  let issuer: String
  /// Whether the client asks for a decision even if there was one.
  let asksForConsent: Bool
  let idTokenHint: String?
  let loginHint: String?

  /// Checks a request.
  ///
  /// - Parameter issuers: the addresses that the client may know, the most likely first.
  @GLibActor
  init(checking query: [String: String], _ registrations: Registrations, issuers: [String]) throws(Refusal) {
    guard let redirect = RedirectAddress(query["redirect_uri"] ?? "") else {
      throw .page("redirect_uri must be http, the literal 127.0.0.1, a port and a path.")
    }
    let clientID = query["client_id"] ?? ""
    let name = query["agent_name_hint"]
    func refusal(_ code: String, _ description: String) -> Refusal {
      let parameters = [(name: "error", value: code), ("error_description", description)]
      let state = query["state"] ?? ""
      return .callback(redirect.adding(parameters + (state.isEmpty ? [] : [("state", state)])))
    }
    if clientID == Registrations.unregistered {
      guard let name, !name.isEmpty else { throw refusal("invalid_request", "agent_name_hint is missing.") }
      client = .new(name: name)
    } else {
      guard let known = registrations[clientID] else { throw .page("client_id is unknown.") }
      guard known.redirectPath == redirect.path else { throw .page("redirect_uri has another path than before.") }
      guard name == nil else { throw refusal("invalid_request", "A registered client omits agent_name_hint.") }
      client = .registered(clientID: clientID)
    }
    self.redirect = redirect
    state = query["state"] ?? ""
    nonce = query["nonce"] ?? ""
    challenge = query["code_challenge"] ?? ""
    host = query["ext_agent_host_id"] ?? ""
    resource = query["resource"] ?? ""
    scopes = (query["scope"] ?? "").split(separator: " ").map(String.init)
    issuer = issuers[0]
    let resources = Self.resources(issuers)
    let checks = [
      (!state.isEmpty, "invalid_request", "state is missing."),
      (!nonce.isEmpty, "invalid_request", "nonce is missing."),
      (query["response_type"] == "code", "unsupported_response_type", "response_type must be code."),
      (
        challenge.utf8.count == 43 && query["code_challenge_method"] == "S256", "invalid_request",
        "A code_challenge of the method S256 is needed."
      ),
      (Self.isHostID(host), "invalid_request", "ext_agent_host_id is missing, or has another form."),
      (resources.contains(resource), "invalid_target", "resource must be \(resources.joined(separator: " or "))."),
      (
        scopes.contains("openid") && scopes.allSatisfy { Self.scopes.contains($0) }, "invalid_scope",
        "scope lacks openid, or has an unknown part."
      ),
    ]
    if let fault = checks.first(where: { !$0.0 }) { throw refusal(fault.1, fault.2) }
    asksForConsent = query["prompt"] == "consent" || query["force_reconsent"] == "true"
    idTokenHint = query["id_token_hint"]
    loginHint = query["login_hint"]
  }

  var clientID: String {
    switch client {
    case .new: Registrations.unregistered
    case .registered(let clientID): clientID
    }
  }

  private static func isHostID(_ text: String) -> Bool {
    ["urn:uuid:", "urn:ietf:params:oauth:jwk-thumbprint:", "did:key:"].contains {
      text.hasPrefix($0) && text.utf8.count > $0.utf8.count
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
  func adding(_ parameters: [(name: String, value: String)]) -> String {
    text + "?" + parameters.map { "\($0.name)=\(Self.escaped($0.value))" }.joined(separator: "&")
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      let isPlain = character.isASCII && (character.isLetter || character.isNumber || "-._~".contains(character))
      return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
