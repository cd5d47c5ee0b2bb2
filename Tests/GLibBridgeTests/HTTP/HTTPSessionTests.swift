// SPDX-License-Identifier: Apache-2.0
import HTTPTestServer
import SecretMemory
import Testing

@testable import GLibBridge

/// Requests to a server in this process.
@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct HTTPSessionTests {
  private let session = HTTPSession(userAgent: "test/1")

  private func answer(
    to request: (String) -> HTTPRequest, _ handler: @escaping HTTPServer.Handler
  ) async throws -> (status: Int, headers: HTTPHeaders, body: String) {
    let server = try HTTPServer(handler)
    let response = try await session.send(request("http://127.0.0.1:\(server.port)"), deadline: .seconds(30))
    let body = try await response.bytes(limit: 1 << 20, deadline: .seconds(30))
    await server.stop()
    return (response.status, response.headers, String(decoding: body, as: UTF8.self))
  }

  @Test func sendsMethodHeadersAndBody() async throws {
    let answer = try await answer { base in
      var request = HTTPRequest(.post, base + "/path?a=1")
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
    }
    #expect(answer.status == 201)
    #expect(answer.body == "POST\n/path\n1\napplication/json\nplain\nBearer token\ntest/1\nbody")
    #expect(answer.headers["Content-Type"] == "text/plain")
  }

  /// A redirect must not send a token to another server.
  @Test func doesNotFollowRedirects() async throws {
    for status in [301, 302, 303, 307, 308] {
      let answer = try await answer {
        HTTPRequest(.get, $0 + "/first")
      } _: { request in
        #expect(request.path == "/first")
        return .whole(
          HTTPServerResponse(status: status, type: "text/plain", "moved", headers: [("location", "/second")]))
      }
      #expect(answer.status == status)
      #expect(answer.headers["location"] == "/second")
    }
  }

  // MARK: Failures

  @Test func throwsWithoutAnAnswer() async throws {
    // A port that was just released could be reused by another test.
    for url in ["", "no address", "/path", "http://", "http://127.0.0.1:1/"] {
      await #expect(throws: GLibError.self, "\(url)") {
        try await session.send(HTTPRequest(.get, url), deadline: .seconds(30))
      }
    }
    await #expect(throws: GLibError.self) {
      try await answer {
        HTTPRequest(.post, $0)
      } _: { _ in
        .drop
      }
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
}
