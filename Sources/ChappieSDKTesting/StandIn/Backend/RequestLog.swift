// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import HTTPTestServer

/// Logs each request as one line after the end of its answer, without query and body, because they hold secrets.
@GLibActor
struct RequestLog {
  let write: @GLibActor @Sendable (String) -> Void

  func follow(
    _ request: HTTPServerRequest, _ answer: () async throws -> HTTPServerAnswer
  ) async throws -> HTTPServerAnswer {
    let start = ContinuousClock.now
    let answered: HTTPServerAnswer
    do {
      answered = try await answer()
    } catch {
      line(request, "the client left", start)
      throw error
    }
    switch answered {
    case .whole(let response): line(request, "\(response.head.status)", start)
    case .drop: line(request, "cut without an answer", start)
    case .stream(let head, let body):
      return .stream(head) { stream in
        try await following(request, "\(head.status) streamed", start) { try await body(stream) }
      }
    case .webSocket(let headers, let body):
      return .webSocket(headers: headers) { socket in
        try await following(request, "101 WebSocket", start) { try await body(socket) }
      }
    }
    return answered
  }

  private func following(
    _ request: HTTPServerRequest, _ outcome: String, _ start: ContinuousClock.Instant, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
      line(request, outcome, start)
    } catch {
      line(request, outcome + ", until the client left", start)
      throw error
    }
  }

  private func line(_ request: HTTPServerRequest, _ outcome: String, _ start: ContinuousClock.Instant) {
    let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
    // The path comes from the client, and must not break the line.
    let path = String(request.path.map { $0.isASCII && !$0.isNewline && $0 >= " " ? $0 : "?" })
    write("\(request.method) \(path) \(outcome), \(milliseconds) ms")
  }
}
