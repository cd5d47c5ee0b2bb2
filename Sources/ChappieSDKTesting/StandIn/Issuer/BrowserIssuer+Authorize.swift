// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials
import GLibBridge
import HTTPTestServer

/// `/api/accounts/authorize`: decides on authorization requests, with a person or without.
extension BrowserIssuer {
  /// The decision of a user.
  enum Decision {
    /// - name: the name of the application; nil for the one that it gave itself.
    case approve(StandInUser, name: String? = nil, allowsPlanUse: Bool = true)
    /// - error: the OAuth error that the client gets.
    case decline(error: String)
  }

  /// Decides on a request without a page, and returns the address to which the browser would go.
  ///
  /// - Parameters:
  ///   - address: the address that the client opens in the browser.
  ///   - issuers: the addresses that the client may know.
  func decide(
    _ address: String, _ decision: Decision, issuers: [String]
  ) throws(AuthorizationRequest.Refusal) -> String {
    // As in a form, a plus sign stands for a space.
    let items = URLComponents(string: address.replacing("+", with: "%20"))?.queryItems ?? []
    let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    return finish(try AuthorizationRequest(checking: query, registrations, issuers: issuers), decision)
  }

  // MARK: In a browser

  func authorize(_ request: HTTPServerRequest) -> HTTPServerResponse {
    if request.method == "POST" { return decide(request) }
    do throws(AuthorizationRequest.Refusal) {
      let issuers = configuration.addresses(of: request)
      let asked = try AuthorizationRequest(checking: request.query, registrations, issuers: issuers)
      let known = registrations[asked.clientID]
      if configuration.approvesAtOnce { return redirect(finish(asked, .approve(known?.user ?? configuration.user))) }
      // The hint of the application's own user leads straight back. The age of the token does not matter.
      let hinted = keys.claims(of: asked["id_token_hint"])?["sub"]?.stringValue
      if let known, !asked.asksForConsent, hinted == known.subject {
        return redirect(finish(asked, .approve(known.user, allowsPlanUse: known.allowsPlanUse)))
      }
      return page(asked, known)
    } catch {
      switch error {
      case .page(let reason): return refusal(reason)
      case .callback(let location): return redirect(location)
      }
    }
  }

  private func decide(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let fields = request.form ?? [:]
    let id = fields["request"] ?? ""
    guard let asked = waiting[id] else {
      return refusal("No sign-in waits for this answer. Start it again in the program.")
    }
    waiting[id] = nil
    guard fields["decision"] == "approve" else { return redirect(finish(asked, .decline(error: "access_denied"))) }
    let allowsPlanUse =
      fields["asks_plan_use"] == "true"
      ? fields["plan_use"] == "true" : registrations[asked.clientID]?.allowsPlanUse ?? true
    let user = configuration.user(fields["user"])
    return redirect(finish(asked, .approve(user, name: fields["name"], allowsPlanUse: allowsPlanUse)))
  }

  private func redirect(_ location: String) -> HTTPServerResponse {
    let headers = [("location", location), ("cache-control", "no-store"), ("referrer-policy", "no-referrer")]
    return HTTPServerResponse(status: 303, headers: headers)
  }

  // MARK: Decisions

  private func finish(_ asked: AuthorizationRequest, _ decision: Decision) -> String {
    switch decision {
    case .decline(let error):
      return callback(asked, [("error", error), ("state", asked["state"])])
    case .approve(let user, let name, let allowsPlanUse):
      let named = name.flatMap { $0.isEmpty ? nil : $0 } ?? asked["agent_name_hint"]
      let clientID =
        asked.isNew
        ? registrations.issue(name: named, user: user, redirectPath: asked.redirect.path) : asked.clientID
      registrations.note(host: asked["ext_agent_host_id"], allowsPlanUse: allowsPlanUse, of: clientID)
      let scopes = asked.scopes.filter { allowsPlanUse || $0 != AuthorizationRequest.planUseScope }
      let code = "ac-" + RandomText.secret()
      codes.add(Approval(request: asked, clientID: clientID, user: user, scopes: scopes), as: code)
      let issued = asked.isNew ? [(name: "client_id", value: clientID)] : []
      // What was asked for: a client must not take it for what was granted.
      return callback(asked, [("code", code), ("state", asked["state"])] + issued + [("scope", asked["scope"])])
    }
  }

  private func callback(_ asked: AuthorizationRequest, _ parameters: HeaderFields) -> String {
    let changes = callbackChanges
    let kept = parameters.filter { changes[$0.name] == nil }
    let added = changes.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    return asked.redirect.adding(kept + added.map { ($0.key, $0.value) })
  }

  // MARK: Pages

  /// The page on which a person connects an application or decides on plan use again, or selects the account of one that
  /// is connected already.
  private func page(_ asked: AuthorizationRequest, _ known: Registrations.Registration?) -> HTTPServerResponse {
    let name = known?.name ?? asked["agent_name_hint"]
    let asksForConsent = known == nil || asked.asksForConsent
    let id = RandomText.hex(bytes: 16)
    waiting.add(asked, as: id)
    let choices =
      asksForConsent
      ? """
      <label for="name">Application</label>
      <input id="name" name="name" value="\(Markup.escaped(name))" required autocomplete="off">
      <p><input id="plan_use" name="plan_use" type="checkbox" value="true" checked>
      <label for="plan_use">It may use my ChatGPT plan</label></p>
      <input type="hidden" name="asks_plan_use" value="true">
      """ : "<p>Sign in again to \(Markup.escaped(name)).</p>"
    let form = SandboxPage.form(
      to: "/api/accounts/authorize",
      "<input type=\"hidden\" name=\"request\" value=\"\(id)\">\n" + choices,
      user: asked["login_hint"].isEmpty ? (known?.user ?? configuration.user).email : asked["login_hint"],
      approve: "Continue")
    // Browsers apply the policy for forms to the redirect of the answer too, which leads to the client's listener.
    return SandboxPage.page(
      asksForConsent ? "Connect an application" : "Choose an account", form, formTargets: "'self' http://127.0.0.1:*")
  }

  /// The page without a redirect to the client.
  private func refusal(_ reason: String) -> HTTPServerResponse {
    SandboxPage.page("Cannot sign in", SandboxPage.problem(reason), status: 400)
  }
}
