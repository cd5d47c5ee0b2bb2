import ChappieSDK
import GLibBridge
import Synchronization

/// What a store does with its disk, one thing after the other, each on a thread that it may block. However many ask of
/// a disk that hangs, one thread waits for it.
@GLibActor
final class DiskQueue {
  private let mutex = AsyncMutex()

  nonisolated init() {}

  /// Runs `work` when everything before it is done, and then `after`.
  ///
  /// - Parameters:
  ///   - limit: how long is waited for both; nil for as long as it takes.
  ///   - attempt: tells `work` whether it is still wanted.
  /// - Returns: nil when it was given up. What had not begun by then never does.
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

/// One thing that a disk is asked to do: it counts as done, or it is given up, and never both.
final class DiskAttempt: Sendable {
  private enum State {
    case open, settled, givenUp
  }

  private let state = Mutex(State.open)

  var isGivenUp: Bool { state.withLock { $0 == .givenUp } }

  /// What was asked for is done, and counts.
  ///
  /// - Returns: false when nobody waits for it any more: who asked has been told that it failed.
  func settle() -> Bool {
    state.withLock { state in
      if state == .open { state = .settled }
      return state == .settled
    }
  }

  /// - Returns: false when it is done.
  func giveUp() -> Bool {
    state.withLock { state in
      if state == .open { state = .givenUp }
      return state == .givenUp
    }
  }
}
