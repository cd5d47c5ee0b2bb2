import ChappieSDK
import FoundationEssentials
import GLibBridge
import HTTPTestServer

/// `/api/accounts/authorize`: decides on authorization requests, with a person or without.
@GLibActor
struct AuthorizeEndpoint {
  /// The decision of a user.
  enum Decision {
    /// - name: the name of the application; nil for the one that it gave itself.
    case approve(StandInUser, name: String?, allowsPlanUse: Bool)
    /// - error: the OAuth error that the client gets.
    case decline(error: String)
  }

  let issuer: BrowserIssuer
  /// Returns the user with an email address; for nil the default user.
  let user: (String?) -> StandInUser

  func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
    switch request.method {
    case "GET", "HEAD": show(request)
    case "POST": decide(request)
    default: HTTPServerResponse(.init(status: 405, headers: [("allow", "GET, HEAD, POST")]))
    }
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
    return finish(
      try AuthorizationRequest(checking: query, issuer.registrations, issuers: issuers), decision)
  }

  // MARK: In a browser

  private func show(_ request: HTTPServerRequest) -> HTTPServerResponse {
    do throws(AuthorizationRequest.Refusal) {
      let asked = try AuthorizationRequest(
        checking: request.query, issuer.registrations, issuers: issuer.issuers(of: request))
      if issuer.configuration.approvesAtOnce {
        return redirect(finish(asked, .approve(defaultUser(asked), name: nil, allowsPlanUse: true)))
      }
      // The hint of the application's own user leads straight back.
      if !asked.asksForConsent, let known = registration(asked), asked.idTokenHint.map(subject) == subject(known) {
        return redirect(finish(asked, .approve(known.user, name: nil, allowsPlanUse: known.allowsPlanUse)))
      }
      return ConsentPage(
        kind: kind(asked), id: issuer.authorizations.wait(for: asked),
        user: asked.loginHint ?? defaultUser(asked).email
      ).show()
    } catch {
      switch error {
      case .page(let reason): return ConsentPage.refusal(reason)
      case .callback: return redirect(error.location)
      }
    }
  }

  private func decide(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let fields = request.form ?? [:]
    guard let asked = issuer.authorizations.take(fields["request"] ?? "") else {
      return ConsentPage.refusal("No sign-in waits for this answer. Start it again in the program.")
    }
    guard fields["decision"] == "approve" else { return redirect(finish(asked, .decline(error: "access_denied"))) }
    let allowsPlanUse =
      fields["asks_plan_use"] == "true"
      ? fields["plan_use"] == "true" : registration(asked)?.allowsPlanUse ?? true
    return redirect(finish(asked, .approve(user(fields["user"]), name: fields["name"], allowsPlanUse: allowsPlanUse)))
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
        clientID = issuer.registrations.issue(
          name: name.flatMap { $0.isEmpty ? nil : $0 } ?? hint, user: user, redirectPath: asked.redirect.path)
      }
      issuer.registrations.note(host: asked.host, allowsPlanUse: allowsPlanUse, of: clientID)
      let scopes = asked.scopes.filter { allowsPlanUse || $0 != AuthorizationRequest.planUseScope }
      let code = issuer.authorizations.issueCode(
        Authorizations.Approval(request: asked, clientID: clientID, user: user, scopes: scopes))
      var parameters = [(name: "code", value: code), ("state", asked.state)]
      if case .new = asked.client { parameters.append(("client_id", clientID)) }
      // What was asked for: a client must not take it for what was granted.
      return callback(asked, parameters + [("scope", asked.scopes.joined(separator: " "))])
    }
  }

  private func callback(_ asked: AuthorizationRequest, _ parameters: [(name: String, value: String)]) -> String {
    let changes = issuer.callbackChanges
    let kept = parameters.filter { changes[$0.name] == nil }
    let added = changes.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    return asked.redirect.adding(kept + added.map { ($0.key, $0.value) })
  }

  private func registration(_ asked: AuthorizationRequest) -> Registrations.Registration? {
    issuer.registrations[asked.clientID]
  }

  private func defaultUser(_ asked: AuthorizationRequest) -> StandInUser {
    registration(asked)?.user ?? user(nil)
  }

  private func kind(_ asked: AuthorizationRequest) -> ConsentPage.Kind {
    switch asked.client {
    case .new(let name): return .consent(name: name)
    case .registered(let clientID):
      let name = registration(asked)?.name ?? clientID
      return asked.asksForConsent ? .consent(name: name) : .account(name: name)
    }
  }

  private func subject(_ known: Registrations.Registration) -> String {
    BrowserTokens.subject(of: known.user, clientID: known.clientID)
  }

  /// The subject of an ID token, whose age does not matter; empty if it is not from this issuer.
  private func subject(_ idToken: String) -> String { issuer.keys.claims(of: idToken)?["sub"]?.stringValue ?? "" }
}

extension AuthorizationRequest.Refusal {
  /// The address to which the browser would go; the reason where it stays on a page.
  var location: String {
    switch self {
    case .page(let reason): return reason
    case .callback(let redirect, let state, let code, let description):
      let parameters = [(name: "error", value: code), ("error_description", description)]
      return redirect.adding(parameters + (state.map { [("state", $0)] } ?? []))
    }
  }
}
