// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The result of a handler of ``HTTPServer``.
public enum HTTPServerAnswer: Sendable {
  /// A complete response.
  case whole(HTTPServerResponse)
  /// The head of a streamed response, and a function that writes its body.
  ///
  /// The body ends when the function returns. The connection is closed when it throws. Its task is cancelled when the
  /// client disconnects.
  case stream(HTTPServerResponse.Head, @GLibActor @Sendable (HTTPServerStream) async throws -> Void)
  /// An upgrade to WebSocket: additional header fields, and a function that uses the socket.
  ///
  /// The socket is closed with a close frame when the function returns, and without one when it throws. Its task is
  /// cancelled when the client disconnects. An invalid handshake receives status 400.
  case webSocket(
    headers: [(name: String, value: String)], @GLibActor @Sendable (HTTPServerWebSocket) async throws -> Void)
  /// No response: the connection is closed.
  case drop
}

/// A complete response. What checks a request throws the one that refuses it.
public struct HTTPServerResponse: Error {
  /// The status and the header fields of a response.
  public struct Head: Sendable {
    /// The status code, such as 200.
    public var status: Int
    /// The header fields, in the order in which they are sent. Of equal names the last one is sent. Invalid fields are
    /// dropped. The server sets the length and the transfer encoding itself.
    public var headers: [(name: String, value: String)]

    /// Creates a head.
    public init(status: Int, headers: [(name: String, value: String)] = []) {
      self.status = status
      self.headers = headers
    }
  }

  /// The status and the header fields.
  public var head: Head
  /// The body, which may be empty.
  public var body: [UInt8]

  /// Creates a response from a head and a body.
  public init(_ head: Head, body: [UInt8] = []) {
    self.head = head
    self.body = body
  }

  /// Creates a response with a body of the given media type.
  public init(status: Int, type: String, _ body: String, headers: [(name: String, value: String)] = []) {
    head = Head(status: status, headers: [("content-type", type)] + headers)
    self.body = Array(body.utf8)
  }
}
