import SecretMemory

/// An answer of ``LoopbackListener``: a status and an HTML page. No other site can read, frame or script it.
package struct LoopbackAnswer: Sendable {
  /// The status code, such as 200.
  package var status: Int
  /// The title, which is escaped.
  package var title: String
  /// The style sheet; empty for none. Only this one is applied.
  package var style: String
  /// The script; empty for none. Only this one runs.
  package var script: String
  /// The content of the element `body`, as markup.
  package var body: String
  /// The path to which the browser goes on; nil for none.
  package var location: String?

  /// Creates an answer, which by default has an empty page.
  package init(
    status: Int, title: String = "Chappie", style: String = "", script: String = "", body: String = "",
    location: String? = nil
  ) {
    self.status = status
    self.title = title
    self.style = style
    self.script = script
    self.body = body
    self.location = location
  }

  /// The answer as it is sent.
  func bytes(hasBody: Bool) -> [UInt8] {
    let page = Array(document.utf8)
    let head = [
      // The reason phrase may be empty.
      "HTTP/1.1 \(status) ", "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.count)",
      "Content-Security-Policy: \(policy)", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
      "X-Content-Type-Options: nosniff", "Cross-Origin-Resource-Policy: same-origin",
      "Cross-Origin-Opener-Policy: same-origin", "Connection: close",
    ]
    let more = (status == 405 ? ["Allow: GET"] : []) + (location.map { ["Location: \($0)"] } ?? [])
    let lines = head + more + ["", ""]
    return Array(lines.joined(separator: "\r\n").utf8) + (hasBody ? page : [])
  }

  private var document: String {
    let style = style.isEmpty ? "" : "<style>\(style)</style>"
    let script = script.isEmpty ? "" : "<script>\(script)</script>"
    return """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">\
      <meta name="viewport" content="width=device-width"><title>\(Markup.escaped(title))</title>\(style)\(script)</head>\
      <body>\(body)</body></html>

      """
  }

  private var policy: String {
    let sources = [("style-src", style), ("script-src", script)].filter { !$0.1.isEmpty }.map { name, text in
      "\(name) 'sha256-\(Base64.encode(SHA256.digest(of: Array(text.utf8))))'; "
    }
    return "default-src 'none'; \(sources.joined())base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  }
}
