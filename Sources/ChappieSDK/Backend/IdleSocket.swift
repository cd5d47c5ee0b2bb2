import GLibBridge

/// Keeps a conversation's socket open between its turns, for a while.
@GLibActor
final class IdleSocket {
  private let patience: Duration
  private var kept: (connection: SocketConnection, timer: Timer)?

  /// - Parameter patience: how long it is kept.
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

  /// Lets go of what the backend could have gone on from.
  func forget() {
    kept?.connection.forget()
  }

  func close() {
    take()?.socket.close()
  }
}
