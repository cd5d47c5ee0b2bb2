import GLibBridge
import HTTPTestServer

/// The page on which a person connects an application, or declines.
@GLibActor
struct ConsentPage {
  /// The page that a person sees for a request.
  enum Kind {
    /// Connects a new application, or decides on plan use again.
    case consent(name: String)
    /// Selects the account of an application that is connected already.
    case account(name: String)
  }

  let kind: Kind
  /// The id of the request that waits.
  let id: String
  /// The address of the user that is shown first.
  let user: String

  func show() -> HTTPServerResponse {
    // Browsers apply the policy for forms to the redirect of the answer too, which leads to the client's listener.
    SandboxPage.page(title, content, formTargets: "'self' http://127.0.0.1:*")
  }

  /// The page without a redirect to the client.
  static func refusal(_ reason: String) -> HTTPServerResponse {
    SandboxPage.page("Cannot sign in", SandboxPage.problem(reason), status: 400)
  }

  private var title: String {
    switch kind {
    case .consent: "Connect an application"
    case .account: "Choose an account"
    }
  }

  private var content: String {
    """
    <form method="post" action="/api/accounts/authorize">
      <input type="hidden" name="request" value="\(id)">
      \(choices)
      <label for="user">Made-up user</label>
      <p class="hint" id="user-hint">Any address will do. Each one is an account of its own.</p>
      <input id="user" name="user" type="email" value="\(Markup.escaped(user))" autocomplete="off"
        aria-describedby="user-hint">
      <p>Continue only if you started this sign-in yourself.</p>
      <button id="approve" name="decision" value="approve">Continue</button>
      <button id="decline" name="decision" value="decline">Decline</button>
    </form>
    """
  }

  private var choices: String {
    switch kind {
    case .account(let name): "<p>Sign in again to \(Markup.escaped(name)).</p>"
    case .consent(let name):
      """
      <label for="name">Application</label>
      <input id="name" name="name" value="\(Markup.escaped(name))" required autocomplete="off">
      <p><input id="plan_use" name="plan_use" type="checkbox" value="true" checked>
      <label for="plan_use">It may use my ChatGPT plan</label></p>
      <input type="hidden" name="asks_plan_use" value="true">
      """
    }
  }
}
