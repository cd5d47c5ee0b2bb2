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
    page("Sign in", form(user: request.query["user"]))
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
      return page("Approved", notice("You approved the sign-in as \(user.email). You can close this page."))
    case "decline":
      guard devices.decide(userCode: code, user: nil) else { return refuse(code: code, user: address) }
      return page("Declined", notice("You declined the sign-in. You can close this page."))
    default:
      return page("Sign in", form(code: code, user: address, problem: "Choose Approve or Decline."), status: 400)
    }
  }

  private func refuse(code: String, user: String?) -> HTTPServerResponse {
    let problem = "No sign-in waits for this code. Check it, or ask the program for a new one."
    return page("Sign in", form(code: code, user: user, problem: problem), status: 400)
  }

  // MARK: HTML

  private func form(code: String = "", user: String? = nil, problem: String? = nil) -> String {
    """
    \(problem.map { "<p role=\"alert\" id=\"problem\">\(Markup.escaped($0))</p>" } ?? "")
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

  private func notice(_ text: String) -> String {
    "<p role=\"status\">\(Markup.escaped(text))</p>"
  }

  private func page(_ title: String, _ content: String, status: Int = 200) -> HTTPServerResponse {
    let html = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title) – Chappie sandbox</title>
      <style>
      :root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif; }
      main { max-width: 30rem; margin: 2rem auto; padding: 0 1rem; }
      label { display: block; font-weight: bold; margin-top: 1rem; }
      .hint { margin: 0; }
      input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; }
      button { font: inherit; padding: .5rem 1.5rem; margin: .5rem .5rem 0 0; }
      [role=alert], [role=status] { border-left: .25rem solid; padding-left: .75rem; font-weight: bold; }
      </style>
      </head>
      <body>
      <main>
      <h1>\(title)</h1>
      <p>This is the Chappie sandbox, a stand-in for tests. It is not ChatGPT, and no real account is involved.</p>
      \(content)
      </main>
      </body>
      </html>

      """
    let headers = [
      (name: "cache-control", value: "no-store"),
      (
        name: "content-security-policy",
        value: "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
      ),
    ]
    return HTTPServerResponse(status: status, type: "text/html; charset=utf-8", html, headers: headers)
  }
}
