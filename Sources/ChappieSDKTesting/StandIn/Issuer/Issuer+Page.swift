// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import HTTPTestServer

/// `/codex/device`: the page on which a person approves or declines a sign-in.
extension Issuer {
  func page(_ request: HTTPServerRequest) -> HTTPServerResponse {
    request.method == "POST" ? decide(request) : form(user: request.query["user"])
  }

  /// Handles the submitted form.
  private func decide(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let fields = request.form ?? [:]
    let address = fields["user"] ?? request.query["user"]
    let code = fields["user_code"] ?? ""
    let user: StandInUser?
    switch fields["decision"] {
    case "approve": user = configuration.user(address)
    case "decline": user = nil
    default: return form(code: code, user: address, problem: "Choose Approve or Decline.")
    }
    guard devices.decide(userCode: code, user: user) else {
      let problem = "No sign-in waits for this code. Check it, or ask the program for a new one."
      return form(code: code, user: address, problem: problem)
    }
    let text = user.map { "You approved the sign-in as \($0.email)." } ?? "You declined the sign-in."
    return SandboxPage.page(
      user == nil ? "Declined" : "Approved", "<p role=\"status\">\(Markup.escaped(text)) You can close this page.</p>")
  }

  private func form(code: String = "", user: String?, problem: String? = nil) -> HTTPServerResponse {
    let field = """
      <label for="user_code">Code</label>
      <p class="hint" id="code-hint">The program that you are signing in shows it, such as ABCD-12345.</p>
      <input id="user_code" name="user_code" value="\(Markup.escaped(code))" required autofocus
        autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" aria-describedby="code-hint\(problem == nil ? "" : " problem")">
      """
    let form = SandboxPage.form(
      to: "/codex/device", field, user: user ?? configuration.user.email, approve: "Approve")
    return SandboxPage.page(
      "Sign in", (problem.map(SandboxPage.problem) ?? "") + form, status: problem == nil ? 200 : 400)
  }
}
