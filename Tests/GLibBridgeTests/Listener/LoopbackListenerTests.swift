// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A listener for browsers, and for the hostile programs beside them.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct LoopbackListenerTests {
  nonisolated private static let request = "GET /here?a=b HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n"

  /// A listener that answers with what it received.
  private static func echo() throws -> LoopbackListener {
    // Other tests may keep this machine busy for longer than a request may take by default.
    let listener = try LoopbackListener(patience: .seconds(120))
    listener.serve { request in
      let target = request.target.withBytes { String(decoding: $0, as: UTF8.self) }
      return LoopbackAnswer(status: 200, body: "\(request.method) \(target) for \(request.host)")
    }
    return listener
  }

  @Test func everyAnswerIsClosedToOtherSites() async throws {
    let listener = try Self.echo()
    for request in [Self.request, "no request\r\n\r\n", "HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n"] {
      let answer = try await LoopbackClient.answer(port: listener.port, request)
      for field in [
        "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
        "Connection: close", "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; ",
      ] { #expect(answer.contains("\r\n\(field)"), "\(request): \(field)") }
      #expect(!answer.lowercased().contains("access-control"))
      if request.hasPrefix("HEAD") { #expect(answer.hasSuffix("\r\n\r\n") && !answer.contains("Content-Length: 0")) }
    }
  }

  /// The expected hashes come from `openssl dgst -sha256 -binary | base64`.
  @Test func onlyTheAnswersOwnStyleAndScriptCount() async throws {
    let listener = try LoopbackListener()
    listener.serve { _ in
      LoopbackAnswer(status: 200, title: "a < b", style: "p{}", script: "f()", body: "<p>x</p>")
    }
    let answer = try await LoopbackClient.answer(port: listener.port, Self.request)
    #expect(answer.contains("style-src 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='; "))
    #expect(answer.contains("script-src 'sha256-GcEEE0IkDzIP5EQ6DXZaDPORqT5RTBELX8Fyzyg9yvo='; "))
    #expect(answer.contains("<title>a &lt; b</title><style>p{}</style><script>f()</script>"))
  }

  @Test func aMalformedHeadIsRefused() async throws {
    let listener = try Self.echo()
    for head in [
      "GET / HTTP/1.1\r\n\r\n",  // no Host
      "GET / HTTP/1.1\r\nhost: a\r\nHOST: b\r\n\r\n",
      "GET / HTTP/2\r\nHost: a\r\n\r\n",
      "GET /\r\nHost: a\r\n\r\n",
      "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / x HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n",
      "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
      " / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\u{0}\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
      "\r\n\r\n",
      "\u{16}\u{3}\u{1}\u{2}\r\n\r\n",
    ] {
      let answer = try await LoopbackClient.answer(port: listener.port, head)
      #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(head)")
    }
  }

  /// Also in pieces, the end of a head is found, and without it there is no answer.
  @Test func aRequestMayComeByteByByte() async throws {
    let listener = try Self.echo()
    let client = try LoopbackClient(port: listener.port)
    for byte in Self.request.utf8 {
      client.send([byte])
      try await sleep(for: .zero)
    }
    let answer = try await client.rest()
    #expect(answer.hasPrefix("HTTP/1.1 200 \r\n"))
    #expect(answer.contains("<body>GET /here?a=b for 127.0.0.1</body>"))
    for count in 0..<Self.request.utf8.count {
      let client = try LoopbackClient(port: listener.port)
      client.send(Array(Self.request.utf8.prefix(count)))
      client.shutDownOutput()
      #expect(try await client.rest().isEmpty)
    }
  }

  @Test func aHeadHasABound() async throws {
    let listener = try Self.echo()
    let filler = "GET / HTTP/1.1\r\nHost: a\r\nX: "
    let longest = filler + String(repeating: "x", count: 16384 - filler.utf8.count - 4) + "\r\n\r\n"
    #expect(try await LoopbackClient.answer(port: listener.port, longest).hasPrefix("HTTP/1.1 200 "))
    let longer = filler + String(repeating: "x", count: 16384 - filler.utf8.count - 3) + "\r\n\r\n"
    #expect(try await LoopbackClient.answer(port: listener.port, longer).hasPrefix("HTTP/1.1 431 "))
  }

  /// The connection ends before all of it has been sent, and the next request is served.
  @Test(arguments: ["x", "\u{0}", "X: y\r\n", "\n"])
  func aMegabyteIsNotRead(_ piece: String) async throws {
    let listener = try Self.echo()
    let client = try LoopbackClient(port: listener.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n")
    client.send(String(repeating: piece, count: (1 << 20) / piece.utf8.count))
    // The rest that was not read may reset the connection before the answer is read.
    let answer = try await client.rest()
    #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"))
    #expect(try await LoopbackClient.answer(port: listener.port, Self.request).hasPrefix("HTTP/1.1 200 "))
  }

  @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: a\r\n"])
  func aConnectionThatSendsTooLittleEnds(_ begin: String) async throws {
    let listener = try LoopbackListener(patience: .milliseconds(20))
    listener.serve { _ in LoopbackAnswer(status: 200) }
    let client = try LoopbackClient(port: listener.port)
    client.send(begin)
    #expect(try await client.rest().isEmpty)
    try await eventually("one socket") { try LoopbackClient.listenerSockets(port: listener.port) == 1 }
  }

  @Test func anAnswerThatNobodyTakesEnds() async throws {
    let listener = try LoopbackListener(patience: .milliseconds(20))
    // More than the kernel keeps for a connection.
    let page = String(repeating: "x", count: 32 << 20)
    let asked = Wait()
    listener.serve { _ in
      asked.finish()
      return LoopbackAnswer(status: 200, body: page)
    }
    let client = try LoopbackClient(port: listener.port)
    client.send(Self.request)
    await asked.value()
    try await eventually("one socket") { try LoopbackClient.listenerSockets(port: listener.port) == 1 }
    client.shutDownOutput()
  }

  /// An answer that takes its time keeps its connection while others come, and when the listener stops.
  @Test func silentConnectionsEndAndARequestGetsItsAnswer() async throws {
    let listener = try LoopbackListener()
    let port = listener.port
    let (arrived, goOn) = (Wait(), Wait())
    listener.serve { _ in
      arrived.finish()
      await goOn.value()
      return LoopbackAnswer(status: 200)
    }
    let client = try LoopbackClient(port: port)
    client.send(Self.request)
    await arrived.value()
    let others = try (0..<200).map { number in
      let other = try LoopbackClient(port: port)
      if number.isMultiple(of: 2) { other.send(String(Self.request.dropLast(2))) }
      return other
    }
    // The oldest are closed.
    #expect(try await others[0].rest().isEmpty)
    try await eventually("few sockets") {
      try LoopbackClient.listenerSockets(port: port) <= LoopbackListener.connectionLimit + 1
    }
    listener.stop()
    #expect(throws: LoopbackClient.Failure.self) { try LoopbackClient(port: port) }
    goOn.finish()
    #expect(try await client.rest().hasPrefix("HTTP/1.1 200 "))
    #expect(try await others[199].rest().isEmpty)
    try await eventually("no socket") { try LoopbackClient.listenerSockets(port: port) == 0 }
  }

  /// A handler that gives no answer does not keep the connection.
  @Test func stoppingEndsWhatTakesTooLong() async throws {
    let listener = try LoopbackListener()
    let port = listener.port
    let (arrived, ended) = (Wait(), Wait())
    listener.serve { _ in
      arrived.finish()
      try? await sleep(for: .seconds(600))
      ended.finish()
      return LoopbackAnswer(status: 200)
    }
    let client = try LoopbackClient(port: port)
    client.send(Self.request)
    await arrived.value()
    listener.stop()
    #expect(try await client.rest().isEmpty)
    await ended.value()
    #expect(try LoopbackClient.listenerSockets(port: port) == 0)
  }

  @Test func aReleasedListenerClosesItsSockets() async throws {
    let port: UInt16
    let client: LoopbackClient
    do {
      let listener = try Self.echo()
      port = listener.port
      client = try LoopbackClient(port: port)
      #expect(try await LoopbackClient.answer(port: port, Self.request).hasPrefix("HTTP/1.1 200 "))
    }
    #expect(try await client.rest().isEmpty)
    try await eventually("no socket") { try LoopbackClient.listenerSockets(port: port) == 0 }
  }
}
