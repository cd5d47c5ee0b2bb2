// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// One request and its answer over HTTP, as server-sent events.
@GLibActor
struct HTTPExchange {
  /// The longest wait for the head of an answer.
  private static let headDeadline = Duration.seconds(120)

  /// The coding of the body.
  enum Coding {
    case plain
    case zstd

    func body(of request: ResponsesRequest) -> [UInt8] {
      switch self {
      case .plain: request.encoded()
      case .zstd: Zstandard.encode(request.encoded())
      }
    }
  }

  let coding: Coding

  /// - Throws: ``ExchangeFailure``, `CancellationError`.
  func run(_ request: ResponsesRequest, _ grant: AccessGrant, _ line: BackendLine, _ reader: any ResponseReader)
    async throws -> BackendAnswer
  {
    let response = try await send(request, grant, line)
    let flow = reader.take(response.headers)
    guard (200..<300).contains(response.status) else {
      throw await ExchangeFailure(response, from: grant.backend.responsesURL)
    }
    if await flow.goesOn() { try await read(response, reader) }
    return try reader.answer()
  }

  private func send(_ request: ResponsesRequest, _ grant: AccessGrant, _ line: BackendLine) async throws
    -> HTTPResponse
  {
    var message = HTTPRequest(.post, grant.backend.responsesURL)
    message.body = .bytes(
      await request.isLarge ? offActor { [coding] in coding.body(of: request) } : coding.body(of: request))
    if case .zstd = coding { message.setHeader("content-encoding", "zstd") }
    message.contentType = "application/json"
    message.setHeader("accept", "text/event-stream")
    message.identify(to: grant.backend, thread: request.threadID)
    if let header = request.formHeader { message.setHeader(header.name, header.value) }
    if let turnState = line.turnState { message.setHeader("x-codex-turn-state", turnState) }
    grant.method.authorize(&message, with: grant)
    do {
      return try await BackendLine.http.sendLogged(message, deadline: Self.headDeadline)
    } catch let error as GLibError {
      throw ExchangeFailure(connecting: error) ?? .unavailable(.network(error.message), retryAfter: nil)
    }
  }

  private func read(_ response: HTTPResponse, _ reader: any ResponseReader) async throws {
    let feed = EventFeed { reader.take($0) }
    do {
      try await response.forEachChunk(idleDeadline: BackendLine.idleDeadline) { chunk in
        feed.take(chunk).combined(with: reader.count(chunk.count, part: feed.bufferedBytes))
      }
    } catch let error as GLibError {
      throw ExchangeFailure.broken(.network(error.isTimeout ? "the backend fell silent" : error.message))
    }
    if feed.isEndless { throw ExchangeFailure.final(.network("the backend sent an event without an end")) }
  }
}

extension HTTPRequest {
  /// Adds the header fields that name the client and, if there is one, the conversation.
  mutating func identify(to backend: BackendProfile, thread id: String? = nil) {
    for (name, value) in backend.clientHeaders { setHeader(name, value) }
    guard let id else { return }
    for name in backend.threadHeaders { setHeader(name, id) }
  }
}
