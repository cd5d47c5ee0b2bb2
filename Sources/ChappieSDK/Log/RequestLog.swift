// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Logs a request and its answer at debug level.
@GLibActor
struct RequestLog {
  let request: HTTPRequest
  let start = ContinuousClock.now

  /// Logs the status of an answer.
  func note(status: Int, _ headers: HTTPHeaders) {
    // The server chose the id, so it is logged only if it contains no part of a token.
    guard let id = headers["x-request-id"].flatMap(Redaction.name) else {
      return Log.debug("\(name: method) \(name: host)\(name: path): status \(status) after \(duration).")
    }
    Log.debug(
      "\(name: method) \(name: host)\(name: path): status \(status) after \(duration), request id \(name: id)."
    )
  }

  /// Logs an open WebSocket.
  func noteOpenSocket() {
    Log.debug("\(name: method) \(name: host)\(name: path): status 101 after \(duration), a WebSocket.")
  }

  /// Logs a request without an answer.
  func note(_ error: GLibError) {
    Log.debug("\(name: method) \(name: host)\(name: path): no answer after \(duration), \(error).")
  }

  private var duration: Duration { .now - start }
  private var method: String { request.method.rawValue }
  private var host: String { ParsedURL(request.url)?.host ?? "" }
  private var path: String { ParsedURL(request.url)?.path ?? "" }
}

extension HTTPSession {
  /// Sends `request` and logs it. The time of the answer counts for ``ServerTime``.
  ///
  /// - Throws: as ``HTTPSession/send(_:deadline:)``.
  func sendLogged(_ request: HTTPRequest, deadline: Duration?) async throws -> HTTPResponse {
    let log = RequestLog(request: request)
    do {
      let response = try await send(request, deadline: deadline)
      log.note(status: response.status, response.headers)
      response.headers["date"].flatMap(HTTPDate.unixSeconds).map(ServerTime.note)
      return response
    } catch let error as GLibError {
      log.note(error)
      throw error
    }
  }

  /// Opens a WebSocket and logs it.
  ///
  /// - Throws: as ``HTTPSession/openWebSocket(_:deadline:)``.
  func openLoggedWebSocket(_ request: HTTPRequest, deadline: Duration) async throws -> WebSocket {
    let log = RequestLog(request: request)
    do {
      let socket = try await openWebSocket(request, deadline: deadline)
      log.noteOpenSocket()
      return socket
    } catch let refusal as WebSocketRefusal {
      log.note(status: refusal.status, refusal.headers)
      throw refusal
    } catch let error as GLibError {
      log.note(error)
      throw error
    }
  }
}
