// SPDX-License-Identifier: Apache-2.0
import HTTPTestServer

@testable import ChappieSDK

/// Exchanges with a server in this process.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct SocketExchangeTests {
  /// The server's handshake and messages, and whether its client has left.
  @GLibActor
  private final class Log {
    var handshake: HTTPServerRequest?
    var messages: [String] = []
    let left = Wait()
  }

  private let log = Log()
  private let http = HTTPSession(userAgent: "test/1")

  /// A server that receives one message and then runs `serve`.
  private func server(_ serve: @escaping @GLibActor @Sendable (HTTPServerWebSocket) async throws -> Void) throws
    -> HTTPServer
  {
    try HTTPServer { [log] request in
      log.handshake = request
      return .webSocket(headers: []) { socket in
        defer { log.left.finish() }
        try await socket.forEachMessage(idleDeadline: .seconds(30)) { message in
          log.messages.append(String(decoding: Array(copying: message), as: UTF8.self))
          return .stop
        }
        try await serve(socket)
      }
    }
  }

  private func grant(_ server: HTTPServer) throws -> AccessGrant {
    let base = "http://127.0.0.1:\(server.port)"
    let method = DeviceCodeSignIn(try ChappieBackend(issuer: base, baseURL: base + "/api"), http: AuthHTTP())
    return AccessGrant(method, .test("token"))
  }

  private let request = ResponsesRequest(
    TurnRequest(
      .standard, harness: .none, input: [.message(.user("Hello"))], options: ChappieMessageOptions(),
      threadID: "thread-1"), for: RequestModel(slug: "gpt-5.5"))

  private static func hang() async throws {
    try await sleep(for: .seconds(3600))
  }

  /// The failure of the exchange and the text delivered before it.
  private func failure(of exchange: SocketExchange, at server: HTTPServer) async throws -> (
    failure: ExchangeFailure, text: String
  ) {
    var text = ""
    let caller = TurnCaller(interaction: .forbidden) { event in
      if case .textDelta(let delta) = event { text += delta }
      return .proceed
    }
    let line = BackendLine()
    let scope = TurnScope(caller, slot: SlotFixture().slot, line)
    do {
      let answer = try await exchange.run(request, grant(server), line, AnswerReader(scope))
      Issue.record("there is an answer: \(answer.responseID)")
      throw CancellationError()
    } catch let failure as ExchangeFailure {
      #expect(line.socket == nil)
      return (failure, text)
    }
  }

  @Test func hangingHandshakeTimesOut() async throws {
    let server = try HTTPServer { _ in
      try await Self.hang()
      return .drop
    }
    let exchange = SocketExchange(connectDeadline: .milliseconds(30))
    guard case .noWebSocket(.network, isLasting: false) = try await failure(of: exchange, at: server).failure else {
      throw UnmetCondition("the timeout")
    }
    await server.stop()
  }

  @Test(arguments: [[], [#"{"type":"response.output_text.delta","delta":"Well"}"#]])
  func silentBackendTimesOut(after events: [String]) async throws {
    let server = try server { socket in
      for event in events { try await socket.write(Array(event.utf8)) }
      try await Self.hang()
    }
    var text = ""
    // On a busy machine the event may take longer.
    for deadline in [Duration.milliseconds(100), .seconds(10), .seconds(30)] {
      let result = try await failure(of: SocketExchange(idleDeadline: deadline), at: server)
      guard case .broken(.network(let reason)) = result.failure else {
        throw UnmetCondition("the timeout, not \(result.failure)")
      }
      #expect(reason == "the backend fell silent")
      text = result.text
      if events.isEmpty || !text.isEmpty { break }
    }
    #expect(text == (events.isEmpty ? "" : "Well"))
    // The failed exchange has closed its socket.
    await log.left.value()
    await server.stop()
  }

  @Test func handshakeContainsCredentialAccountAndThread() async throws {
    let server = try server { $0.close() }
    _ = try await failure(of: SocketExchange(), at: server)
    let headers = try #require(log.handshake).headers
    #expect(headers["openai-beta"] == "responses_websockets=2026-02-06")
    #expect(headers["authorization"]?.hasPrefix("Bearer ") == true)
    #expect(headers["chatgpt-account-id"] == "account")
    #expect(headers["originator"] == "chappie")
    #expect(headers["version"] == ProtocolVersion.current)
    for name in ["session-id", "thread-id", "x-client-request-id"] { #expect(headers[name] == "thread-1") }
    let message = try ChappieJSONValue(json: try #require(log.messages.first))
    #expect(message["type"]?.stringValue == "response.create")
    #expect(message["model"]?.stringValue == "gpt-5.5")
    #expect(message["previous_response_id"] == nil)
    #expect(message["client_metadata"] == nil)
    await server.stop()
  }

  @Test func anIdleSocketServesOneTokenUntilItIsClosed() async throws {
    let server = try server { _ in try await Self.hang() }
    let socket = try await http.openWebSocket(
      HTTPRequest(.get, "http://127.0.0.1:\(server.port)/"), deadline: .seconds(30))
    let connection = SocketConnection(socket, owner: CredentialMark(.test("token")))
    socket.send(Array("hello".utf8))
    #expect(connection.serves(CredentialMark(.test("token"))))
    // The other token has the same account and expiry.
    #expect(!connection.serves(CredentialMark(.test("other"))))
    let idle = IdleSockets(patience: .milliseconds(30))
    idle.keep(.open(connection), since: idle.generation, isContinued: true)
    await log.left.value()
    #expect(idle.take(for: "") == nil)
    #expect(!connection.serves(CredentialMark(.test("token"))))
    await server.stop()
  }
}
