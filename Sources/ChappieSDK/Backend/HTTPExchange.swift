// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// One request and its answer over HTTP, as server-sent events.
@GLibActor
struct HTTPExchange {
  /// The longest wait for the head of an answer.
  private static let headDeadline = Duration.seconds(120)

  /// Whether the body is compressed.
  let compresses: Bool

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
    var message = HTTPRequest(.post, grant.backend.responsesURL, for: grant, thread: request.threadID)
    message.body = .bytes(await request.isLarge ? offActor { [self] in body(of: request) } : body(of: request))
    if compresses { message.setHeader("content-encoding", "zstd") }
    message.contentType = "application/json"
    message.setHeader("accept", "text/event-stream")
    if let header = request.formHeader { message.setHeader(header.name, header.value) }
    if let turnState = line.turnState { message.setHeader("x-codex-turn-state", turnState) }
    do {
      return try await BackendLine.http.sendLogged(message, deadline: Self.headDeadline)
    } catch let error as GLibError {
      throw ExchangeFailure(connecting: error) ?? .unavailable(.network(error.message), retryAfter: nil)
    }
  }

  private nonisolated func body(of request: ResponsesRequest) -> [UInt8] {
    compresses ? Zstandard.encode(request.encoded()) : request.encoded()
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
  /// A request in the name of `grant`, with the header fields that name the client and, if there is one, the
  /// conversation.
  init(_ method: Method, _ url: String, for grant: AccessGrant, thread id: String? = nil) {
    self.init(method, url)
    for (name, value) in grant.backend.clientHeaders { setHeader(name, value) }
    if let id {
      for name in grant.backend.threadHeaders { setHeader(name, id) }
    }
    grant.authorize(&self)
  }
}

/// The state that the requests of one turn share on their way to the backend.
@GLibActor
package final class BackendLine {
  /// More connections than all turns and queries of a service take, so that a program at its own limit does not stop
  /// the others.
  static let http = HTTPSession(userAgent: "chappie/\(ChappieVersion.current)", maxConnections: 480)
  /// Counts each request of a turn, and each query. It throws when the callers of the group have to wait. Requests for
  /// this process itself are not counted.
  package static var admission: @GLibActor (_ callers: String) throws(ChappieClientError) -> Void = {
    (_) throws(ChappieClientError) in
  }

  /// Counts one more request for the callers that the running task works for.
  ///
  /// - Throws: ``ChappieClientError/limitExceeded(_:)``.
  static func admitRequest() throws(ChappieClientError) {
    if let callers = CallerGroup.current { try admission(callers) }
  }

  /// The longest silence within an answer.
  static let idleDeadline = Duration.seconds(300)

  /// The backend's routing token. Each further request of the turn sends it back.
  var turnState: String?
  /// The socket for the turn's next request.
  var socket: IdleSockets.Socket?

  init(_ socket: IdleSockets.Socket? = nil) {
    self.socket = socket
  }
}
