import GLibBridge

/// Bounds what waits inside this process to be written to the bus: GDBus queues without a limit.
@GLibActor
final class SendWindow {
  /// Of all turns together. What waits in a WebSocket instead takes several times its text's room.
  static let limit = 4 << 20
  /// What a message takes beside what it carries: its head, twice, and its place in the queue.
  static let messageOverhead = 2 << 10

  private enum State {
    case open(bytes: Int)
    case draining(Task<Void, Never>)
  }

  private let drain: @GLibActor () async -> Void
  private var state = State.open(bytes: 0)

  convenience init(_ connection: BusConnection) {
    self.init { try? await connection.flush() }
  }

  /// - Parameter drain: waits until everything that was sent has left this process.
  init(drain: @escaping @GLibActor () async -> Void) {
    self.drain = drain
  }

  /// Whether more may be produced. It holds for each turn, whichever has filled the window, and when.
  var flow: FlowControl {
    switch state {
    case .open: .proceed
    case .draining(let task): .pause(until: task)
    }
  }

  /// Notes that a message with so many bytes was handed to GDBus.
  func sent(_ bytes: Int) {
    guard case .open(let before) = state else { return }
    let sum = before + bytes + Self.messageOverhead
    guard sum >= Self.limit else {
      state = .open(bytes: sum)
      return
    }
    state = .draining(
      Task.onGLib {
        await drain()
        state = .open(bytes: 0)
      })
  }
}
