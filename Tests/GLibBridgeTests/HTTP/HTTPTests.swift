// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge
@testable import HTTPTestServer

/// Requests to a server in this process, and the streamed bodies of its answers.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct HTTPTests {
  private let session = HTTPSession(userAgent: "test/1")

  /// Gives `read` the answer of a server.
  private func answer<Result>(
    to request: (String) -> HTTPRequest, _ handler: @escaping HTTPServer.Handler,
    _ read: (HTTPResponse) async throws -> Result
  ) async throws -> Result {
    let server = try HTTPServer(handler)
    do {
      let request = request("http://127.0.0.1:\(server.port)/first")
      let result = try await read(session.send(request, deadline: .seconds(30)))
      await server.stop()
      return result
    } catch {
      await server.stop()
      throw error
    }
  }

  /// Gives `read` an answer whose body `write` writes.
  private func withBody<Result>(
    _ write: @escaping @GLibActor @Sendable (HTTPServerStream) async throws -> Void,
    _ read: (HTTPResponse) async throws -> Result
  ) async throws -> Result {
    try await answer(to: { HTTPRequest(.get, $0) }, { _ in .stream(.init(status: 200), write) }, read)
  }

  // MARK: Requests

  @Test func sendsMethodHeadersAndBody() async throws {
    try await answer { address in
      var request = HTTPRequest(.post, address + "?a=1")
      request.body = .bytes(Array("body".utf8))
      request.contentType = "application/json"
      request.setHeader("x-plain", "plain")
      request.setHeader("authorization", prefix: "Bearer ", secret: SecretBytes("token".utf8))
      return request
    } _: { request in
      let headers = request.headers
      let lines = [
        request.method, request.path, request.query["a"], headers["content-type"], headers["x-plain"],
        headers["authorization"], headers["user-agent"], String(decoding: request.body, as: UTF8.self),
      ]
      return .whole(
        HTTPServerResponse(status: 201, type: "text/plain", lines.map { $0 ?? "nothing" }.joined(separator: "\n")))
    } _: { response in
      #expect(response.status == 201)
      #expect(response.headers["Content-Type"] == "text/plain")
      let body = String(decoding: try await response.bytes(limit: 1000, deadline: .seconds(30)), as: UTF8.self)
      #expect(body == "POST\n/first\n1\napplication/json\nplain\nBearer token\ntest/1\nbody")
    }
  }

  /// A redirect must not send a token to another server.
  @Test func doesNotFollowRedirects() async throws {
    for status in [301, 302, 303, 307, 308] {
      let (received, location) = try await answer {
        HTTPRequest(.get, $0)
      } _: { request in
        #expect(request.path == "/first")
        return .whole(
          HTTPServerResponse(status: status, type: "text/plain", "moved", headers: [("location", "/second")]))
      } _: {
        ($0.status, $0.headers["location"])
      }
      #expect(received == status)
      #expect(location == "/second")
    }
  }

  @Test func throwsWithoutAnAnswer() async throws {
    // A port that was just released could be reused by another test.
    for url in ["", "no address", "/path", "http://", "http://127.0.0.1:1/"] {
      await #expect(throws: GLibError.self, "\(url)") {
        try await session.send(HTTPRequest(.get, url), deadline: .seconds(30))
      }
    }
    await #expect(throws: GLibError.self) {
      try await answer(to: { HTTPRequest(.post, $0) }, { _ in .drop }) { _ in }
    }
  }

  @Test func throwsTimedOutWithoutAHead() async throws {
    let server = try HTTPServer { _ in
      try await sleep(for: .seconds(3600))
      return .drop
    }
    await #expect(throws: GLibError.timedOut) {
      try await session.send(HTTPRequest(.get, "http://127.0.0.1:\(server.port)/"), deadline: .milliseconds(50))
    }
    await server.stop()
  }

  @Test func cancellationClosesTheConnection() async throws {
    let (arrived, left) = (Wait(), Wait())
    let server = try HTTPServer { _ in
      arrived.finish()
      defer { left.finish() }
      try await sleep(for: .seconds(3600))
      return .drop
    }
    let task = Task { @GLibActor in
      _ = try await session.send(HTTPRequest(.get, "http://127.0.0.1:\(server.port)/"), deadline: nil)
    }
    await arrived.value()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await left.value()
    await server.stop()
  }

  // MARK: Bodies

  @Test func joinsTheChunks() async throws {
    let write: @GLibActor @Sendable (HTTPServerStream) async throws -> Void = { stream in
      try await stream.write(Array("first, ".utf8))
      try await stream.write(Array("second".utf8))
    }
    let bytes = try await withBody(write) { try await $0.bytes(limit: 13, deadline: .seconds(30)) }
    #expect(bytes == Array("first, second".utf8))
    let secret = try await withBody(write) { try await $0.secret(limit: 13, deadline: .seconds(30)) }
    #expect(secret.isEqual(to: SecretBytes("first, second".utf8)))
    await #expect(throws: GLibError.self) {
      try await withBody(write) { try await $0.bytes(limit: 12, deadline: .seconds(30)) }
    }
    let empty = try await withBody({ _ in }) { try await $0.bytes(limit: 0, deadline: .seconds(30)) }
    #expect(empty == [])
  }

  @Test func handsOverEachChunkBeforeTheNextIsWritten() async throws {
    let next = [Wait(), Wait()]
    var received: [[UInt8]] = []
    try await withBody { stream in
      try await stream.write([1])
      await next[0].value()
      try await stream.write([2])
      await next[1].value()
    } _: { response in
      try await response.forEachChunk(idleDeadline: .seconds(30)) { chunk in
        received.append(Array(copying: chunk))
        next[received.count - 1].finish()
        return .proceed
      }
    }
    #expect(received == [[1], [2]])
  }

  @Test func stopsWhenItsReaderHasEnough() async throws {
    var count = 0
    try await withBody { stream in
      try await stream.write([1])
      try await sleep(for: .seconds(3600))
    } _: { response in
      try await response.forEachChunk(idleDeadline: .seconds(3600)) { _ in
        count += 1
        return .stop
      }
    }
    #expect(count == 1)
  }

  /// A busy reader gets no chunk, and no chunk is lost.
  @Test func pausesUntilItsReaderIsReady() async throws {
    var total = 0
    var isBusy = false
    var wasDisturbed = false
    try await withBody { stream in
      for _ in 0..<50 { try await stream.write(Array(repeating: 0, count: 10_000)) }
    } _: { response in
      try await response.forEachChunk(idleDeadline: .seconds(30)) { chunk in
        wasDisturbed = wasDisturbed || isBusy
        total += chunk.count
        isBusy = true
        return .pause(
          until: Task { @GLibActor in
            for _ in 0..<10 { await Task.yield() }
            isBusy = false
          })
      }
    }
    #expect(total == 500_000)
    #expect(!wasDisturbed)
  }

  // MARK: Failures

  @Test func failsAfterTooLongASilence() async throws {
    await #expect(throws: GLibError.timedOut) {
      try await withBody { stream in
        try await stream.write([1])
        try await sleep(for: .seconds(3600))
      } _: {
        try await $0.bytes(limit: 10, deadline: .milliseconds(50))
      }
    }
  }

  /// The connection ends within a chunk; libsoup takes an end between two chunks for the end of the body.
  @Test func failsWhenTheBodyBreaksOff() async throws {
    await #expect(throws: GLibError.self) {
      try await withBody { stream in
        try await stream.send(Array("5\r\nab".utf8))
        stream.abort()
      } _: {
        try await $0.bytes(limit: 10, deadline: .seconds(30))
      }
    }
  }

  @Test func isCancelledWithItsTask() async throws {
    let received = Wait()
    let task = Task { @GLibActor in
      try await withBody { stream in
        try await stream.write([1])
        try await sleep(for: .seconds(3600))
      } _: { response in
        try await response.forEachChunk(idleDeadline: .seconds(3600)) { _ in
          received.finish()
          return .proceed
        }
      }
    }
    await received.value()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

struct HTTPHeadersTests {
  @Test func keepTheirOrderAndIgnoreTheCaseOfNames() {
    var headers = HTTPHeaders()
    for (name, value) in [("Content-Type", "text/plain"), ("B", "1"), ("b", "3")] { headers.append(name, value) }
    #expect(headers["CONTENT-TYPE"] == "text/plain")
    #expect(headers["content"] == nil)
    #expect(headers["b"] == "1", "the first of equal names")
    #expect(headers.names == ["content-type", "b", "b"])
  }

  /// The example of RFC 9110, section 5.6.7, in its three formats, the epoch and a late date.
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ] as [(String, Int64)])
  func parsesTheThreeFormatsOfADate(_ text: String, _ seconds: Int64) {
    #expect(HTTPDate.unixSeconds(text) == seconds)
  }

  @Test(arguments: ["", "soon", "120", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06"])
  func returnsNilForATextThatIsNoDate(_ text: String) {
    #expect(HTTPDate.unixSeconds(text) == nil)
  }
}
