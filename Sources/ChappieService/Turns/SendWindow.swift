// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Flow control for messages to the bus, since the send queue of GDBus has no limit of its own.
@GLibActor
final class SendWindow {
  /// The queued bytes of all turns together at which turns pause. Text of a paused turn stays in the WebSocket, where
  /// it takes several times as much memory.
  static let limit = 4 << 20
  /// The bytes that a message takes beside its content: two copies of its header, and its place in the queue.
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

  /// - Parameter drain: waits until all sent messages have left this process.
  init(drain: @escaping @GLibActor () async -> Void) {
    self.drain = drain
  }

  /// Whether turns may produce more. All turns pause together, because they share the window.
  var flow: FlowControl {
    switch state {
    case .open: .proceed
    case .draining(let task): .pause(until: task)
    }
  }

  /// Waits until all sent messages have left this process.
  func flush() async {
    await drain()
  }

  /// Counts a message that was given to GDBus.
  ///
  /// - Parameter bytes: the size of its content.
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
