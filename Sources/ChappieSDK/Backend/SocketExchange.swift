// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// One request and its answer over a WebSocket.
@GLibActor
struct SocketExchange {
  private static let version = "responses_websockets=2026-02-06"

  /// The longest wait for the handshake.
  var connectDeadline = Duration.seconds(15)
  /// The longest silence within an answer.
  var idleDeadline = BackendLine.idleDeadline

  /// - Throws: ``ExchangeFailure``, `CancellationError`.
  func run(_ request: ResponsesRequest, _ grant: AccessGrant, _ line: BackendLine, _ reader: any ResponseReader)
    async throws -> BackendAnswer
  {
    let connection = try await connection(for: request, grant, line)
    do {
      if connection.isUsed { reader.expectBeginning() }
      let message = connection.message(for: request, turnState: line.turnState)
      let encode = { @Sendable in ResponsesRequest.encode(message) }
      connection.socket.send(await request.isLarge ? offActor(encode) : encode())
      try await read(connection.socket, reader)
      let answer = try reader.answer()
      connection.note(request, answer)
      return answer
    } catch {
      // Later data would belong to no answer.
      line.socket = nil
      connection.socket.close()
      throw error
    }
  }

  private func connection(for request: ResponsesRequest, _ grant: AccessGrant, _ line: BackendLine) async throws
    -> SocketConnection
  {
    if let kept = try await present(line) {
      await kept.socket.readWhatIsHere()
      line.socket = .open(kept)
      if kept.serves(CredentialMark(grant)) { return kept }
      kept.socket.close()
    }
    line.socket = nil
    let connection = try await connect(request.threadID, grant)
    line.socket = .open(connection)
    return connection
  }

  /// The socket that the turn has already; nil if there was no credential to open it with.
  ///
  /// - Throws: ``ExchangeFailure``, `CancellationError`.
  private func present(_ line: BackendLine) async throws -> SocketConnection? {
    switch line.socket {
    case .open(let connection): return connection
    case .opening(let task):
      try await task.untilEnded()
      line.socket = nil
      do {
        return try await task.value
      } catch let failure as ExchangeFailure {
        throw failure
      } catch {
        return nil
      }
    case nil: return nil
    }
  }

  /// Opens a socket.
  ///
  /// - Throws: ``ExchangeFailure``, `CancellationError`.
  func connect(_ threadID: String, _ grant: AccessGrant) async throws -> SocketConnection {
    var handshake = HTTPRequest(.get, grant.backend.responsesURL, for: grant, thread: threadID)
    handshake.setHeader("openai-beta", Self.version)
    do {
      let socket = try await BackendLine.http.openLoggedWebSocket(handshake, deadline: connectDeadline)
      return SocketConnection(socket, owner: CredentialMark(grant))
    } catch let refusal as WebSocketRefusal {
      throw Self.failure(refusal.status)
    } catch let error as GLibError {
      throw ExchangeFailure(connecting: error) ?? .noWebSocket(.network(error.message), isLasting: false)
    }
  }

  private static func failure(_ status: Int) -> ExchangeFailure {
    let error = ChappieClientError.httpError(status, "The backend refuses a WebSocket.")
    switch status {
    case 401:
      return .rejected(
        .httpError(status, "The backend does not take the sign-in, though it was renewed: sign in again."))
    // Over HTTP the backend gives the reason for a rate limit or an outage.
    case 429, 500..<600: return .noWebSocket(error, isLasting: false)
    default: return .noWebSocket(error, isLasting: true)
    }
  }

  private func read(_ socket: WebSocket, _ reader: any ResponseReader) async throws {
    do {
      try await socket.forEachMessage(idleDeadline: idleDeadline) { message in
        reader.count(message.count, part: 0).combined(with: reader.take(message))
      }
    } catch let error as GLibError {
      throw ExchangeFailure.broken(.network(error.isTimeout ? "the backend fell silent" : error.message))
    }
  }
}
