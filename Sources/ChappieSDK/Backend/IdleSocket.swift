import GLibBridge

/// Keeps a conversation's socket open between its turns, for a while.
@GLibActor
final class IdleSocket {
  private let patience: Duration
  private var kept: (connection: SocketConnection, timer: Timer)?

  /// - Parameter patience: how long an idle socket stays open.
  init(patience: Duration = .seconds(120)) {
    self.patience = patience
  }

  func take() -> SocketConnection? {
    defer { kept = nil }
    return kept?.connection
  }

  func keep(_ connection: SocketConnection?) {
    close()
    guard let connection, connection.socket.isOpen else { return }
    kept = (connection, Timer(after: patience) { [weak self] in self?.close() })
  }

  /// Drops the exchange that the backend could have continued.
  func forget() {
    kept?.connection.forget()
  }

  func close() {
    take()?.socket.close()
  }
}
