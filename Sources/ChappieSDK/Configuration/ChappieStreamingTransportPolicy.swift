/// The transport for answers: a WebSocket, or HTTP with server-sent events. Both deliver the same events.
public struct ChappieStreamingTransportPolicy: Sendable, Hashable {
  /// Whether the client tries a WebSocket first. It usually delivers the first word sooner.
  public let prefersWebSocket: Bool
  /// The number of reconnections for a WebSocket that drops during an answer, 0 or more.
  public let maxWebSocketReconnectionAttempts: Int
  /// Whether the client switches to HTTP, for the rest of its life, when a WebSocket is not available.
  public let fallsBackToHTTPSSE: Bool

  /// A negative number counts as 0.
  public init(
    prefersWebSocket: Bool = true, maxWebSocketReconnectionAttempts: Int = 5, fallsBackToHTTPSSE: Bool = true
  ) {
    self.prefersWebSocket = prefersWebSocket
    self.maxWebSocketReconnectionAttempts = max(0, maxWebSocketReconnectionAttempts)
    self.fallsBackToHTTPSSE = fallsBackToHTTPSSE
  }

  public static let `default` = ChappieStreamingTransportPolicy()

  /// For networks that block WebSockets, for tests, and for finding a transport error.
  public static let httpSSEOnly = ChappieStreamingTransportPolicy(
    prefersWebSocket: false, maxWebSocketReconnectionAttempts: 0)
}
