// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup

/// A response to a handshake that the server refused. libsoup does not provide its body.
public struct WebSocketRefusal: Error {
  public let status: Int
  public let headers: HTTPHeaders
}

extension HTTPSession {
  /// Opens a WebSocket at the URL of `request`, with its header fields.
  ///
  /// - Parameter deadline: the longest wait for the handshake.
  /// - Throws: ``WebSocketRefusal``, ``GLibError`` when no response arrives, `CancellationError`.
  public func openWebSocket(_ request: HTTPRequest, deadline: Duration) async throws -> WebSocket {
    let message = try makeMessage(request)
    defer { g_object_unref(UnsafeMutableRawPointer(message)) }
    let session = session(for: request)
    do {
      let socket = try await asyncCall(deadline: deadline) { cancellable, callback, data in
        soup_session_websocket_connect_async(
          session, message, nil, nil, G_PRIORITY_DEFAULT, cancellable, callback, data)
      } finish: { result, error in
        soup_session_websocket_connect_finish(session, result, &error).map { WebSocket(over: $0) }
      }
      try Self.checkResponseIsFromServer(message)
      return socket
    } catch let error as GLibError {
      let status = Int(soup_message_get_status(message).rawValue)
      guard status >= 200 else { throw error.explained(for: message) }
      try Self.checkResponseIsFromServer(message)
      throw WebSocketRefusal(status: status, headers: HTTPHeaders(soup_message_get_response_headers(message)))
    }
  }
}
