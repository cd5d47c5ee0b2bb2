import GLibBridge

/// Bounds what waits inside this process to be written to the bus: GDBus queues without a limit.
@GLibActor
final class SendWindow {
  /// Of all turns together. What waits in a WebSocket instead takes several times its text's room.
  private static let limit = 4 << 20

  private enum State {
    case open(bytes: Int)
    case draining(Task<Void, Never>)
  }

  private let connection: BusConnection
  private var state = State.open(bytes: 0)

  init(_ connection: BusConnection) {
    self.connection = connection
  }

  /// Notes that `bytes` were handed to GDBus. Returns what to wait for before more is produced, nil for nothing.
  func sent(_ bytes: Int) -> Task<Void, Never>? {
    switch state {
    case .draining(let task):
      return task
    case .open(let before) where before + bytes < Self.limit:
      state = .open(bytes: before + bytes)
      return nil
    case .open:
      let task = Task.onGLib {
        try? await connection.flush()
        state = .open(bytes: 0)
      }
      state = .draining(task)
      return task
    }
  }
}
