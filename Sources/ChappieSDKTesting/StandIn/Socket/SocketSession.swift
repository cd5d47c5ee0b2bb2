import ChappieSDK
import GLibBridge
import HTTPTestServer

/// A session over one WebSocket. It answers requests one after the other.
@GLibActor
final class SocketSession {
  private let backend: BackendState
  private let user: StandInUser
  private let headers: HTTPHeaders
  private let socket: HTTPServerWebSocket
  private let start = ContinuousClock.now
  private var last: LastResponse?
  private var answering: Task<Void, Never>?
  private var failure: (any Error)?

  /// The response that a request may continue, with its conversation.
  private struct LastResponse {
    let id: String
    let conversation: RecordedConversation
  }

  /// - Parameter headers: the header fields of the handshake.
  init(_ backend: BackendState, _ user: StandInUser, _ headers: HTTPHeaders, _ socket: HTTPServerWebSocket) {
    self.backend = backend
    self.user = user
    self.headers = headers
    self.socket = socket
  }

  /// Answers requests until one side closes the socket.
  ///
  /// - Throws: an error if the client disconnects, or if the connection must be cut.
  func run() async throws {
    do {
      try await socket.forEachMessage(idleDeadline: .seconds(7200)) { message in
        self.failure == nil ? .pause(until: self.answer(Array(copying: message))) : .stop
      }
    } catch {
      failure = failure ?? error
    }
    answering?.cancel()
    await answering?.value
    if let failure { throw failure }
  }

  func close() {
    socket.close()
  }

  /// Answers a message. The next message waits for this task.
  private func answer(_ message: [UInt8]) -> Task<Void, Never> {
    let task = Task.onGLib {
      do {
        try await receive(message)
      } catch {
        // Otherwise the reading loop would notice the failure only with the next message.
        failure = error
        socket.abort()
      }
    }
    answering = task
    return task
  }

  // MARK: Requests

  private func receive(_ message: [UInt8]) async throws {
    guard let frame = try? ChappieJSONValue(parsing: message.span), frame.objectValue != nil else {
      return try await refuse(.detail("The frame is not a JSON object"))
    }
    guard frame["type"]?.stringValue == "response.create" else {
      return try await refuse(.detail("Unknown type of a frame: \(frame["type"]?.stringValue ?? "")"))
    }
    if frame["generate"] == false { return try await prewarm(frame) }
    guard backend.user(of: headers) != nil else {
      return try await refuse(.error(401, "token_expired", "Provided authentication token is expired."))
    }
    backend.record.count(.responses)
    backend.record.noteTurn(headers, message, over: .webSocket)
    let turnState = frame["client_metadata"]?["x-codex-turn-state"]?.stringValue
    backend.record.noteTurnState(sentBack: turnState)
    if let rule = backend.scenario.take(.responses, where: \.hasOwnStatus) { return try await play(rule) }
    guard let request = try await accept(frame) else { return }
    if let refusal = backend.usage.refusal(user) { return try await refuse(refusal) }
    let rule = backend.scenario.take(.responses)
    if let rule, rule.change == nil { return try await play(rule) }
    try await rule?.waitForDelay()
    if let refusal = LiteForm.refusal(request, rule?.change) { return try await refuse(refusal) }
    try await stream(rule?.change, request, isFirst: turnState == nil)
  }

  /// Reads and checks a request; nil if it was refused.
  private func accept(_ frame: ChappieJSONValue) async throws -> ResponsesRequest? {
    guard ContinuousClock.now - start < backend.configuration.socketLifetime else {
      try await refuse(.error(400, "websocket_connection_limit_reached", "This connection has been open for too long."))
      return nil
    }
    var earlier = RecordedConversation()
    if let id = frame["previous_response_id"], id != .null {
      guard let last, id.stringValue == last.id else {
        let name = id.stringValue ?? id.json
        try await refuse(
          .error(400, "previous_response_not_found", "Previous response with id '\(name)' not found."))
        return nil
      }
      earlier = last.conversation
    }
    do throws(InvalidRequest) {
      return try ResponsesRequest(
        checking: frame, headers, over: .webSocket, after: earlier, models: backend.models)
    } catch {
      try await refuse(.detail(error.detail))
      return nil
    }
  }

  private func prewarm(_ frame: ChappieJSONValue) async throws {
    backend.record.count(.prewarm)
    guard let request = try await accept(frame) else { return }
    let answer = ResponsesAnswer(toPrewarm: request)
    for index in [0, answer.count - 1] { try await write(answer.event(at: index)) }
    last = LastResponse(id: answer.id, conversation: request.conversation)
  }

  // MARK: Answers

  private func stream(_ change: StandInRule.Change?, _ request: ResponsesRequest, isFirst: Bool) async throws {
    let answer = ResponsesAnswer(to: request, change)
    let side = change?.events == nil ? sideEvents(change?.headers ?? [], isFirst: isFirst) : []
    let events = AnswerEvents(answer, change, side: side)
    last = nil
    let outcome = try await backend.record.streaming {
      try await backend.player(change).play(events.count, event: events.event) { try await self.write($0) }
    }
    switch outcome {
    case .complete:
      guard let end = events.completion else { return }
      last = LastResponse(id: end.id, conversation: request.conversation.continued(with: end.output))
      if let change { try await sendLate(change) }
    case .ended: socket.close()
    case .dropped: throw Cut()
    }
  }

  /// Sends the messages of a rule that come after the answer.
  private func sendLate(_ change: StandInRule.Change) async throws {
    if change.lateDelay > .zero { try await sleep(for: change.lateDelay) }
    for frame in change.late { try await socket.write(frame.stringValue.map { Array($0.utf8) } ?? frame.encoded) }
  }

  private func sideEvents(_ headers: [(name: String, value: String)], isFirst: Bool) -> [ChappieJSONValue] {
    backend.usage.grow()
    var fields = isFirst ? ["x-codex-turn-state": BackendState.makeTurnState()] : [:]
    for header in headers { fields[header.name.lowercased()] = header.value }
    backend.record.noteTurnState(given: fields["x-codex-turn-state"])
    let metadata: ChappieJSONValue = [
      "type": "response.metadata", "headers": .object(fields.mapValues { .string($0) }),
    ]
    return [backend.usage.event(user)] + (fields.isEmpty ? [] : [metadata])
  }

  /// Sends the replacement of the answer that the rule describes.
  private func play(_ rule: StandInRule) async throws {
    last = nil
    switch rule.action {
    case .hang:
      try await rule.hang()
    case .answer(let response):
      try await rule.waitForDelay()
      if response.head.status >= 300 { return try await refuse(response) }
      if !response.body.isEmpty { try await socket.write(response.body) }
      socket.close()
    case .raw(let response, let cuts):
      try await rule.waitForDelay()
      if !response.body.isEmpty { try await socket.write(response.body) }
      if cuts { throw Cut() }
      socket.close()
    case .flood(let flood):
      try await rule.waitForDelay()
      if flood.kind == .event { return try await socket.write(flood.message) }
      try await flood.play { piece in
        switch piece {
        case .event(let json): try await self.socket.write(Array(json.utf8))
        case .block(let frames, _): try await self.socket.write(frames: frames)
        case .part: break
        }
      }
    case .change:
      break
    }
  }

  private func refuse(_ response: HTTPServerResponse) async throws {
    last = nil
    try await write(ErrorFrame.json(response, backend.usage.headers))
  }

  private func write(_ event: ChappieJSONValue) async throws {
    try await socket.write(event.encoded)
  }

  /// Thrown to cut the connection.
  private struct Cut: Error {}
}
