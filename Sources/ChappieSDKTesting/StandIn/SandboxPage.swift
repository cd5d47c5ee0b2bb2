import GLibBridge
import HTTPTestServer

/// The frame of the pages for people.
enum SandboxPage {
  static func notice(_ text: String) -> String {
    "<p role=\"status\">\(Markup.escaped(text))</p>"
  }

  /// A paragraph with the id `problem`; empty for nil.
  static func problem(_ text: String?) -> String {
    text.map { "<p role=\"alert\" id=\"problem\">\(Markup.escaped($0))</p>" } ?? ""
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
