import GLibBridge

/// Runs one turn against the backend: credential, request, retries, answer.
@GLibActor
final class TurnEngine {
  private static let http = HTTPSession(userAgent: "chappie/\(ChappieVersion.current)")
  /// The longest wait for the head of an answer.
  private static let headDeadline = Duration.seconds(120)
  /// The longest silence within an answer.
  private static let idleDeadline = Duration.seconds(300)

  private let slot: CredentialSlot
  private let backoff: ChappieRateLimitBackoffPolicy

  init(slot: CredentialSlot, backoff: ChappieRateLimitBackoffPolicy) {
    self.slot = slot
    self.backoff = backoff
  }

  /// - Throws: ``ChappieClientError``, `CancellationError`.
  func run(_ request: ResponsesRequest, for caller: ChappieClient.TurnCaller) async throws -> ChappieResponse {
    defer { MemoryHygiene.wipeStack() }
    let body = request.encoded()
    let response = try await open(request, body, caller.interaction)
    return try await readAnswer(response, model: request.model, caller)
  }

  // MARK: Asking

  /// What has been tried within one turn.
  private struct Attempts {
    /// The backend's routing token; it goes back with each further request of the turn.
    var turnState: String?
    var rateLimited = 0
    var wasRejected = false
  }

  private func open(
    _ request: ResponsesRequest, _ body: [UInt8], _ interaction: SecretServiceClient.Interaction
  ) async throws -> HTTPResponse {
    var attempts = Attempts()
    var credential = try await slot.credential(interaction: interaction)
    while true {
      let response = try await send(request, body, credential, attempts)
      attempts.turnState = response.headers["x-codex-turn-state"] ?? attempts.turnState
      switch response.status {
      case 200..<300:
        return response
      case 401 where !attempts.wasRejected:
        attempts.wasRejected = true
        credential = try await slot.credential(insteadOf: credential)
      case 429:
        let failure = await BackendFailure(response)
        guard !failure.isFinal,
          let delay = backoff.delay(beforeRetry: attempts.rateLimited, retryAfter: failure.retryAfter)
        else { throw failure.error }
        attempts.rateLimited += 1
        try await sleep(for: .seconds(delay))
      default:
        throw await BackendFailure(response).error
      }
    }
  }

  private func send(_ request: ResponsesRequest, _ body: [UInt8], _ credential: Credential, _ attempts: Attempts)
    async throws -> HTTPResponse
  {
    var message = HTTPRequest(.post, slot.method.responsesURL)
    message.body = .bytes(body)
    message.contentType = "application/json"
    message.setHeader("accept", "text/event-stream")
    message.setHeader("originator", "chappie")
    message.setHeader("session-id", request.threadID)
    message.setHeader("thread-id", request.threadID)
    message.setHeader("x-client-request-id", request.threadID)
    if let turnState = attempts.turnState { message.setHeader("x-codex-turn-state", turnState) }
    slot.method.authorize(&message, with: credential)
    do {
      return try await Self.http.send(message, deadline: Self.headDeadline)
    } catch let error as GLibError {
      throw ChappieClientError.network(error.message)
    }
  }

  // MARK: Reading

  private func readAnswer(_ response: HTTPResponse, model: String, _ caller: ChappieClient.TurnCaller) async throws
    -> ChappieResponse
  {
    let reader = AnswerReader(caller.deliver)
    do {
      try await response.forEachChunk(idleDeadline: Self.idleDeadline) { reader.take($0) }
    } catch let error as GLibError {
      throw ChappieClientError.network(error.isTimeout ? "the backend fell silent" : error.message)
    }
    return try reader.response(model: model)
  }
}

/// Reads one answer off its socket.
@GLibActor
private final class AnswerReader {
  private var parser = ServerSentEventParser()
  private var assembler = ResponseAssembler()
  private var broken: ServerSentEventParser.Failure?
  private let deliver: @GLibActor (String) -> HTTPResponse.Verdict

  init(_ deliver: @escaping @GLibActor (String) -> HTTPResponse.Verdict) {
    self.deliver = deliver
  }

  func take(_ chunk: ArraySlice<UInt8>) -> HTTPResponse.Verdict {
    var verdict = HTTPResponse.Verdict.more
    do {
      try parser.parse(chunk) { data in
        let text = assembler.take(ResponseEvent.decode(data))
        if !text.isEmpty { verdict = deliver(text) }
      }
    } catch {
      broken = error as? ServerSentEventParser.Failure
      return .stop
    }
    if case .open = assembler.outcome { return verdict }
    return .stop
  }

  func response(model: String) throws -> ChappieResponse {
    if broken != nil { throw ChappieClientError.network("the backend sent an event without an end") }
    switch assembler.outcome {
    case .open: throw ChappieClientError.network("the answer broke off before its end")
    case .failed(let error): throw error
    case .completed(let id, let usage):
      return ChappieResponse(outputText: assembler.text, responseID: id, model: model, usage: usage)
    }
  }
}
