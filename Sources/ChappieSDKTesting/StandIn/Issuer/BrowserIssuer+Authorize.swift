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
    case approve(StandInUser, name: String?, allowsPlanUse: Bool)
    /// - error: the OAuth error that the client gets.
    case decline(error: String)
  }

  func authorize(_ request: HTTPServerRequest) -> HTTPServerResponse {
    request.method == "POST" ? decide(request) : show(request)
  }

  /// Decides on a request without a page, and returns the address to which the browser would go.
  ///
  /// - Parameters:
  ///   - address: the address that the client opens in the browser.
  ///   - issuers: the addresses that the client may know.
  func decide(_ address: String, _ decision: Decision, issuers: [String]) throws(AuthorizationRequest.Refusal)
    -> String
  {
    // As in a form, a plus sign stands for a space.
    let items = URLComponents(string: address.replacing("+", with: "%20"))?.queryItems ?? []
    let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    return finish(try AuthorizationRequest(checking: query, registrations, issuers: issuers), decision)
  }

  // MARK: In a browser

  private func show(_ request: HTTPServerRequest) -> HTTPServerResponse {
    do throws(AuthorizationRequest.Refusal) {
      let asked = try AuthorizationRequest(checking: request.query, registrations, issuers: issuers(of: request))
      if configuration.approvesAtOnce {
        return redirect(finish(asked, .approve(defaultUser(asked), name: nil, allowsPlanUse: true)))
      }
      // The hint of the application's own user leads straight back.
      if !asked.asksForConsent, let known = registration(asked), asked.idTokenHint.map(subject) == subject(known) {
        return redirect(finish(asked, .approve(known.user, name: nil, allowsPlanUse: known.allowsPlanUse)))
      }
      return page(asked)
    } catch {
      switch error {
      case .page(let reason): return refusal(reason)
      case .callback(let location): return redirect(location)
      }
    }
  }

  private func decide(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let fields = request.form ?? [:]
    guard let asked = authorizations.take(fields["request"] ?? "") else {
      return refusal("No sign-in waits for this answer. Start it again in the program.")
    }
    guard fields["decision"] == "approve" else { return redirect(finish(asked, .decline(error: "access_denied"))) }
    let allowsPlanUse =
      fields["asks_plan_use"] == "true"
      ? fields["plan_use"] == "true" : registration(asked)?.allowsPlanUse ?? true
    let user = configuration.user(fields["user"])
    return redirect(finish(asked, .approve(user, name: fields["name"], allowsPlanUse: allowsPlanUse)))
  }

  private func redirect(_ location: String) -> HTTPServerResponse {
    HTTPServerResponse(
      .init(
        status: 303,
        headers: [("location", location), ("cache-control", "no-store"), ("referrer-policy", "no-referrer")]))
  }

  // MARK: Decisions

  private func finish(_ asked: AuthorizationRequest, _ decision: Decision) -> String {
    switch decision {
    case .decline(let error):
      return callback(asked, [("error", error), ("state", asked.state)])
    case .approve(let user, let name, let allowsPlanUse):
      let clientID: String
      switch asked.client {
      case .registered(let known): clientID = known
      case .new(let hint):
        clientID = registrations.issue(
          name: name.flatMap { $0.isEmpty ? nil : $0 } ?? hint, user: user, redirectPath: asked.redirect.path)
      }
      registrations.note(host: asked.host, allowsPlanUse: allowsPlanUse, of: clientID)
      let scopes = asked.scopes.filter { allowsPlanUse || $0 != AuthorizationRequest.planUseScope }
      let code = authorizations.issueCode(
        Authorizations.Approval(request: asked, clientID: clientID, user: user, scopes: scopes))
      var parameters = [(name: "code", value: code), ("state", asked.state)]
      if case .new = asked.client { parameters.append(("client_id", clientID)) }
      // What was asked for: a client must not take it for what was granted.
      return callback(asked, parameters + [("scope", asked.scopes.joined(separator: " "))])
    }
  }

  private func callback(_ asked: AuthorizationRequest, _ parameters: [(name: String, value: String)]) -> String {
    let changes = callbackChanges
    let kept = parameters.filter { changes[$0.name] == nil }
    let added = changes.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    return asked.redirect.adding(kept + added.map { ($0.key, $0.value) })
  }

  private func registration(_ asked: AuthorizationRequest) -> Registrations.Registration? {
    registrations[asked.clientID]
  }

  private func defaultUser(_ asked: AuthorizationRequest) -> StandInUser {
    registration(asked)?.user ?? configuration.user
  }

  private func subject(_ known: Registrations.Registration) -> String {
    TokenMint.subject(of: known.user, clientID: known.clientID)
  }

  /// The subject of an ID token, whose age does not matter; empty if it is not from this issuer.
  private func subject(_ idToken: String) -> String { keys.claims(of: idToken)?["sub"]?.stringValue ?? "" }

  // MARK: Pages

  /// The page on which a person connects an application or decides on plan use again, or selects the account of one that
  /// is connected already.
  private func page(_ asked: AuthorizationRequest) -> HTTPServerResponse {
    let (name, asksForConsent) =
      switch asked.client {
      case .new(let name): (name, true)
      case .registered(let clientID): (registration(asked)?.name ?? clientID, asked.asksForConsent)
      }
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
      "<input type=\"hidden\" name=\"request\" value=\"\(authorizations.wait(for: asked))\">\n" + choices,
      user: asked.loginHint ?? defaultUser(asked).email, approve: "Continue")
    // Browsers apply the policy for forms to the redirect of the answer too, which leads to the client's listener.
    return SandboxPage.page(
      asksForConsent ? "Connect an application" : "Choose an account", form, formTargets: "'self' http://127.0.0.1:*")
  }

  /// The page without a redirect to the client.
  private func refusal(_ reason: String) -> HTTPServerResponse {
    SandboxPage.page("Cannot sign in", SandboxPage.problem(reason), status: 400)
  }
}
