// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Synchronization

/// Runs disk operations one after the other, each on a thread that may block. If the disk hangs, only one thread waits
/// for it, however many operations are queued.
@GLibActor
final class DiskQueue {
  private let mutex = AsyncMutex()

  nonisolated init() {}

  /// Runs `work` after the operations before it, and then `after`.
  ///
  /// - Parameters:
  ///   - limit: the time for waiting and working; nil for no limit.
  ///   - attempt: tells `work` whether the caller still waits.
  ///   - after: runs on the actor, before the next operation.
  /// - Returns: nil after the limit. Work that has not begun by then never begins.
  func run<Value: Sendable>(
    within limit: Duration?, _ attempt: DiskAttempt = DiskAttempt(), _ work: @escaping @Sendable () -> Value,
    after: @escaping @GLibActor () -> Void = {}
  ) async -> Value? {
    let end = Wait()
    let task = Task.onGLib { () -> Value? in
      defer { end.finish() }
      return try? await mutex.withLock {
        let value = await offActor(work)
        after()
        return value
      }
    }
    let timer = limit.map { limit in
      Timer(after: limit) {
        guard attempt.giveUp() else { return }
        task.cancel()
        end.finish()
      }
    }
    await end.value()
    timer?.cancel()
    return attempt.isGivenUp ? nil : await task.value
  }
}

/// The outcome of a disk operation: either it takes effect, or the caller gives it up. Both never happen.
final class DiskAttempt: Sendable {
  private enum State {
    case open, settled, givenUp
  }

  private let state = Mutex(State.open)

  var isGivenUp: Bool { state.withLock { $0 == .givenUp } }

  /// Lets the operation take effect.
  ///
  /// - Returns: false if the caller has given it up. The operation must then have no effect.
  func settle() -> Bool { end(as: .settled) }

  /// Gives the operation up.
  ///
  /// - Returns: false if it has taken effect already.
  func giveUp() -> Bool { end(as: .givenUp) }

  private func end(as outcome: State) -> Bool {
    state.withLock { state in
      if state == .open { state = outcome }
      return state == outcome
    }
  }
}
