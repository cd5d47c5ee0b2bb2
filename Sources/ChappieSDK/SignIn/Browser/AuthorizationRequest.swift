// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// One attempt of a sign-in in the browser: its random values and the address of the page.
struct AuthorizationRequest: Sendable {
  /// What is asked of the user: the identity, and the use of the plan.
  static let scopes = "openid profile email offline_access resource.invoke \(planUseScope)"
  /// The scope without which no request may use the plan.
  static let planUseScope = "chatgpt.tokens.use.direct"

  /// Ties the browser's return to this attempt.
  let state: String
  /// Ties the ID token to this attempt.
  let nonce = random()
  /// Ties the exchange of the code to this attempt (RFC 7636).
  let verifier = SecretBytes(random().utf8)

  let endpoint: String
  /// The issued client id. Nil for an application without a registration.
  let clientID: String?
  /// The application's own name.
  let applicationName: String
  let hostID: String
  let redirectURI: String
  let resource: String
  let asksForPlanUse: Bool

  /// 32 random bytes as text.
  static func random() -> String {
    Base64URL.encode(AEAD.randomKey().withBytes { Array($0) })
  }

  /// The address of the page.
  ///
  /// An ID token as hint would spare the user the choice of the account, and it is left out: the address passes through
  /// argument lists and the browser's history.
  ///
  /// - Parameter mailAddress: the account's address, which chooses it on the page. Nil for an address that is shown.
  func address(hint mailAddress: String? = nil) -> String {
    var parameters = [
      ("client_id", clientID ?? Registration.newClient), ("ext_agent_host_id", hostID), ("response_type", "code"),
      ("redirect_uri", redirectURI), ("scope", Self.scopes), ("resource", resource), ("state", state),
      ("nonce", nonce), ("code_challenge_method", "S256"), ("code_challenge", challenge),
    ]
    if clientID == nil { parameters.append(("agent_name_hint", applicationName)) }
    if asksForPlanUse { parameters.append(("prompt", "consent")) }
    if let mailAddress { parameters.append(("login_hint", mailAddress)) }
    let query = parameters.map { "\($0)=\(FormCoding.escape($1))" }.joined(separator: "&")
    return endpoint + (endpoint.contains("?") ? "&" : "?") + query
  }

  private var challenge: String {
    Base64URL.encode(SHA256.digest(of: verifier.withBytes { Array($0) }))
  }
}
