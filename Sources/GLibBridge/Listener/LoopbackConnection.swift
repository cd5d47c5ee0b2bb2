// SPDX-License-Identifier: Apache-2.0
import Glibc
import Platform
import SecretMemory

/// One connection of ``LoopbackListener``: one request and its answer.
@GLibActor
final class LoopbackConnection {
  /// The most bytes of a request's head.
  static let headLimit = 16 << 10

  private enum State {
    case reading
    case answering
    case closed
  }

  private let socket: StreamSocket
  private let patience: Duration
  private var state = State.reading
  private var task: Task<Void, Never>?

  /// Takes over a connected socket.
  ///
  /// - Parameter patience: the longest time for the head to come, and then for the answer to be taken.
  /// - Throws: ``GLibError`` when the kernel has no room to watch it.
  init(_ descriptor: Descriptor, _ patience: Duration) throws {
    self.patience = patience
    socket = try StreamSocket(descriptor)
  }

  /// Whether the request has not come completely.
  var isReading: Bool { state == .reading }

  /// Serves the one request, then calls `ended`, unless ``close()`` was called before.
  func serve(_ handler: @escaping LoopbackListener.Handler, ended: @escaping @GLibActor () -> Void) {
    task = Task.onGLib {
      await answer(handler)
      guard state != .closed else { return }
      close()
      ended()
    }
  }

  /// Closes the connection at once.
  func close() {
    state = .closed
    task?.cancel()
    task = nil
    socket.close()
  }

  private func answer(_ handler: LoopbackListener.Handler) async {
    guard let head = try? await withDeadline(patience, { await self.readHead() }), isReading else { return }
    state = .answering
    switch head {
    case .request(let request):
      let answer = await handler(request)
      await send(answer, hasBody: request.method != "HEAD")
    case .refused(let status): await send(LoopbackAnswer(status: status), hasBody: true)
    }
  }

  /// Reads until the head is complete or cannot become valid; nil when the connection ended before.
  private func readHead() async -> LoopbackHead? {
    var bytes: [UInt8] = []
    // One block of memory, so that no copy stays behind when it grows.
    bytes.reserveCapacity(2 * Self.headLimit)
    defer { bytes.wipe() }
    while true {
      guard var chunk = try? await socket.receive(), !chunk.isEmpty else { return nil }
      let searched = max(0, bytes.count - LoopbackHead.end.count + 1)
      bytes += chunk
      chunk.wipe()
      if let end = LoopbackHead.length(of: bytes, from: searched) {
        return end <= Self.headLimit ? LoopbackHead.read(bytes[..<end]) : .refused(status: 431)
      }
      guard bytes.count < Self.headLimit else { return .refused(status: 431) }
    }
  }

  private func send(_ answer: LoopbackAnswer, hasBody: Bool) async {
    guard state != .closed else { return }
    let drained = Wait()
    socket.send { $0 += answer.bytes(hasBody: hasBody) }
    socket.onDrained = { drained.finish() }
    guard socket.queuedBytes > 0 else { return }
    try? await withDeadline(patience) { await drained.valueOrCancelled() }
  }
}

extension [UInt8] {
  /// Overwrites the bytes: they may hold an authorization code.
  fileprivate mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      explicit_bzero(start, bytes.count)
    }
  }
}

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
