import GLibBridge
import HTTPTestServer

/// `/codex/device`: the page on which a person approves or declines a sign-in.
@GLibActor
struct DevicePage {
  let defaultUser: StandInUser
  let devices: DeviceAuthorizations
  /// Returns the user with an email address; for nil the default user.
  let user: (String?) -> StandInUser

  /// Shows the form.
  func show(_ request: HTTPServerRequest) -> HTTPServerResponse {
    SandboxPage.page("Sign in", form(user: request.query["user"]))
  }

  /// Handles the submitted form.
  func decide(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let fields = request.form ?? [:]
    let address = fields["user"] ?? request.query["user"]
    let code = fields["user_code"] ?? ""
    switch fields["decision"] {
    case "approve":
      let user = user(address)
      guard devices.decide(userCode: code, user: user) else { return refuse(code: code, user: address) }
      return SandboxPage.page(
        "Approved", SandboxPage.notice("You approved the sign-in as \(user.email). You can close this page."))
    case "decline":
      guard devices.decide(userCode: code, user: nil) else { return refuse(code: code, user: address) }
      return SandboxPage.page("Declined", SandboxPage.notice("You declined the sign-in. You can close this page."))
    default:
      return SandboxPage.page(
        "Sign in", form(code: code, user: address, problem: "Choose Approve or Decline."), status: 400)
    }
  }

  private func refuse(code: String, user: String?) -> HTTPServerResponse {
    let problem = "No sign-in waits for this code. Check it, or ask the program for a new one."
    return SandboxPage.page("Sign in", form(code: code, user: user, problem: problem), status: 400)
  }

  // MARK: HTML

  private func form(code: String = "", user: String? = nil, problem: String? = nil) -> String {
    """
    \(SandboxPage.problem(problem))
    <form method="post" action="/codex/device">
      <label for="user_code">Code</label>
      <p class="hint" id="code-hint">The program that you are signing in shows it, such as ABCD-12345.</p>
      <input id="user_code" name="user_code" value="\(Markup.escaped(code))" required autofocus
        autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" aria-describedby="code-hint\(problem == nil ? "" : " problem")">
      <label for="user">Made-up user</label>
      <p class="hint" id="user-hint">Any address will do. Each one is an account of its own.</p>
      <input id="user" name="user" type="email" value="\(Markup.escaped(user ?? defaultUser.email))" autocomplete="off"
        aria-describedby="user-hint">
      <p>Continue only if you started this sign-in yourself.</p>
      <button name="decision" value="approve">Approve</button>
      <button name="decision" value="decline">Decline</button>
    </form>
    """
  }
}
