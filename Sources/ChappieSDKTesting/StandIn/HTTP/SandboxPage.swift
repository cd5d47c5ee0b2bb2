// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import HTTPTestServer

/// The frame of the pages for people.
enum SandboxPage {
  /// A paragraph with the id `problem`.
  static func problem(_ text: String) -> String {
    "<p role=\"alert\" id=\"problem\">\(Markup.escaped(text))</p>"
  }

  /// A form on which a person decides, with `fields` before that of the user.
  static func form(to path: String, _ fields: String, user: String, approve: String) -> String {
    """
    <form method="post" action="\(path)">
      \(fields)
      <label for="user">Made-up user</label>
      <p class="hint" id="user-hint">Any address will do. Each one is an account of its own.</p>
      <input id="user" name="user" type="email" value="\(Markup.escaped(user))" autocomplete="off"
        aria-describedby="user-hint">
      <p>Continue only if you started this sign-in yourself.</p>
      <button id="approve" name="decision" value="approve">\(approve)</button>
      <button id="decline" name="decision" value="decline">Decline</button>
    </form>
    """
  }

  /// A page.
  ///
  /// - Parameter formTargets: the addresses, in the words of a content security policy, that an answered form leads to.
  static func page(_ title: String, _ content: String, status: Int = 200, formTargets: String = "'self'")
    -> HTTPServerResponse
  {
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
        value: "default-src 'none'; style-src 'unsafe-inline'; form-action \(formTargets); frame-ancestors 'none'"
      ),
    ]
    return HTTPServerResponse(status: status, type: "text/html; charset=utf-8", html, headers: headers)
  }
}
