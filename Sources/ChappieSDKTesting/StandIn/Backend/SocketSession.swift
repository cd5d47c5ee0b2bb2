// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

/// A session over one WebSocket. It answers requests one after the other.
@GLibActor
final class SocketSession {
  private let backend: BackendState
  private let user: StandInUser
  private let headers: HTTPHeaders
  let socket: HTTPServerWebSocket
  private let start = ContinuousClock.now
  /// The response that a request may continue, with its conversation.
  private var last: (id: String, conversation: RecordedConversation)?
  private var answering: Task<Void, Never>?
  private var failure: (any Error)?

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
    do {
      let frame = ChappieJSONValue(body: message)
      guard frame.objectValue != nil else { throw HTTPServerResponse.detail("The frame is not a JSON object") }
      guard frame["type"]?.stringValue == "response.create" else {
        throw HTTPServerResponse.detail("Unknown type of a frame: \(frame["type"]?.stringValue ?? "")")
      }
      try await frame["generate"] == false ? prewarm(frame) : respond(frame, message)
    } catch let refusal as HTTPServerResponse {
      try await refuse(refusal)
    }
  }

  private func respond(_ frame: ChappieJSONValue, _ message: [UInt8]) async throws {
    _ = try backend.user(of: headers)
    backend.count(.responses)
    let turnState = frame["client_metadata"]?["x-codex-turn-state"]?.stringValue
    backend.noteTurn(headers, message, over: .webSocket, turnState: turnState)
    if let rule = backend.take(.responses, where: \.hasOwnStatus) { return try await play(rule) }
    let request = try accept(frame)
    try backend.usage.checkLimit(user)
    let rule = backend.take(.responses) ?? StandInRule()
    guard rule.kind == .change else { return try await play(rule) }
    try await rule.waitForDelay(backend.releases)
    try request.checkForm(rule)
    try request.checkItems(rule)
    try await stream(rule, request, isFirst: turnState == nil)
  }

  private func prewarm(_ frame: ChappieJSONValue) async throws {
    backend.count(.prewarm)
    let request = try accept(frame)
    let answer = ResponsesAnswer([], to: request)
    for event in [answer.events.first, answer.events.last] { if let event { try await write(event()) } }
    last = answer.completion.map { ($0.id, request.conversation) }
  }

  /// Reads and checks a request.
  private func accept(_ frame: ChappieJSONValue) throws(HTTPServerResponse) -> ResponsesRequest {
    guard ContinuousClock.now - start < backend.configuration.socketLifetime else {
      throw .error(400, "websocket_connection_limit_reached", "This connection has been open for too long.")
    }
    var earlier = RecordedConversation()
    if let id = frame["previous_response_id"], id != .null {
      guard let last, id.stringValue == last.id else {
        let text = "Previous response with id '\(id.stringValue ?? id.json)' not found."
        throw .error(400, "previous_response_not_found", text)
      }
      earlier = last.conversation
    }
    return try ResponsesRequest(checking: frame, headers, over: .webSocket, after: earlier, models: backend.models)
  }

  // MARK: Answers

  private func stream(_ rule: StandInRule, _ request: ResponsesRequest, isFirst: Bool) async throws {
    var answer = ResponsesAnswer(to: request, rule)
    if rule.events == nil { answer.insert(sideEvents(rule.headers, isFirst: isFirst)) }
    last = nil
    let isWhole = try await backend.counting(\.openStreams) {
      try await backend.play(answer, rule) { try await self.write($0) }
    }
    guard isWhole else { return try end(cuts: rule.dropAfter != nil) }
    guard let completion = answer.completion else { return }
    last = (completion.id, request.conversation.continued(with: completion.output))
    if rule.holdsLate { try await Release(backend.releases).wait() }
    for frame in rule.late { try await socket.write(frame.stringValue.map { Array($0.utf8) } ?? frame.encoded) }
  }

  private func sideEvents(_ headers: HeaderFields, isFirst: Bool) -> [ChappieJSONValue] {
    backend.usage.grow()
    let own = isFirst ? [(name: "x-codex-turn-state", value: BackendState.makeTurnState())] : []
    let fields = Dictionary((own + headers).map { ($0.name.lowercased(), $0.value) }) { $1 }
    backend.noteTurnState(given: fields["x-codex-turn-state"])
    let usage = backend.usage.event(user)
    guard !fields.isEmpty else { return [usage] }
    return [usage, ["type": "response.metadata", "headers": .object(fields.mapValues { .string($0) })]]
  }

  /// Sends the replacement of the answer that the rule describes.
  private func play(_ rule: StandInRule) async throws {
    last = nil
    try await rule.waitForDelay(backend.releases)
    switch rule.kind {
    case .hang: try await rule.hang()
    case .flood:
      if rule.flood.kind == .event { return try await socket.write(rule.flood.message) }
      try await rule.flood.play { piece in
        switch piece {
        case .event(let json): try await self.socket.write(Array(json.utf8))
        case .block(let frames, _): try await self.socket.write(frames: frames)
        case .part: break
        }
      }
    case .refusal, .raw, .body, .status, .change:
      guard let response = rule.response else { return }
      if rule.kind != .raw, response.status >= 300 { return try await refuse(response) }
      if !response.body.isEmpty { try await socket.write(response.body) }
      try end(cuts: rule.dropAfter != nil)
    }
  }

  private func end(cuts: Bool) throws {
    if cuts { throw Cut() }
    socket.close()
  }

  /// Sends an HTTP error as a frame.
  private func refuse(_ response: HTTPServerResponse) async throws {
    last = nil
    let headers = (backend.usage.headers + response.headers).filter { $0.name != "content-type" }
    let fields = Dictionary(headers.map { ($0.name, ChappieJSONValue.string($0.value)) }) { $1 }
    try await write([
      "type": "error", "status": ChappieJSONValue(response.status), "error": Self.error(of: response),
      "headers": .object(fields),
    ])
  }

  /// The member `error` of the body. A body without this member becomes the message of an error.
  private static func error(of response: HTTPServerResponse) -> ChappieJSONValue {
    let body = ChappieJSONValue(body: response.body)
    if let error = body["error"], error.objectValue != nil { return error }
    let text = body["detail"]?.stringValue ?? String(decoding: response.body, as: UTF8.self)
    return ["type": "invalid_request_error", "code": .null, "message": .string(text)]
  }

  private func write(_ event: ChappieJSONValue) async throws {
    try await socket.write(event.encoded)
  }

  /// Thrown to cut the connection.
  private struct Cut: Error {}
}
