import GLibBridge

/// What a handler of ``HTTPServer`` answers a request with.
public enum HTTPServerAnswer: Sendable {
  /// The whole answer.
  case whole(HTTPServerResponse)
  /// The head of an answer, and the writer of its body.
  ///
  /// The body ends where the writer returns; when it throws, the connection is cut. The writer's task is cancelled
  /// when the client leaves.
  case stream(HTTPServerResponse.Head, @GLibActor @Sendable (HTTPServerStream) async throws -> Void)
  /// The change over to WebSocket, header fields to send with it, and what is done with the socket.
  ///
  /// The socket is closed where the function returns and cut when it throws. Its task is cancelled when the client
  /// leaves. A request that is no good handshake is answered with status 400 instead.
  case webSocket(
    headers: [(name: String, value: String)], @GLibActor @Sendable (HTTPServerWebSocket) async throws -> Void)
  /// No answer: the connection is cut.
  case drop
}

/// A whole answer.
public struct HTTPServerResponse: Sendable {
  /// The status and the header fields of an answer.
  public struct Head: Sendable {
    /// The status, such as 200.
    public var status: Int
    /// The fields in the order in which they are sent; of equal names the last is sent. Fields that HTTP does not
    /// allow are left out. Length and framing are the server's to set.
    public var headers: [(name: String, value: String)]

    /// A status, and what goes with it.
    public init(status: Int, headers: [(name: String, value: String)] = []) {
      self.status = status
      self.headers = headers
    }
  }

  /// What comes before the body.
  public var head: Head
  /// The body, empty for none.
  public var body: [UInt8]

  /// An answer of a head and a body.
  public init(_ head: Head, body: [UInt8] = []) {
    self.head = head
    self.body = body
  }

  /// An answer with a body of one media type.
  public init(status: Int, type: String, _ body: String, headers: [(name: String, value: String)] = []) {
    head = Head(status: status, headers: [("content-type", type)] + headers)
    self.body = Array(body.utf8)
  }
}
