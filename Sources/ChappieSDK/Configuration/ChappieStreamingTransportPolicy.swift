/// How answers come: over a WebSocket, or over HTTP with server-sent events. What is seen of them is the same.
public struct ChappieStreamingTransportPolicy: Sendable, Hashable {
  /// Whether a WebSocket is tried first. It usually brings the first word sooner.
  public let prefersWebSocket: Bool
  /// How often a WebSocket that drops within an answer is opened again, 0 or more.
  public let maxWebSocketReconnectionAttempts: Int
  /// Whether HTTP takes over, for the rest of the client's life, where there is no WebSocket to be had.
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

  /// For networks that block WebSockets, for tests, and to find out which transport is at fault.
  public static let httpSSEOnly = ChappieStreamingTransportPolicy(
    prefersWebSocket: false, maxWebSocketReconnectionAttempts: 0)
}
