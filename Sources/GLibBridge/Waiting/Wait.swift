/// A wait for something that happens once.
@GLibActor
public final class Wait {
  private enum State {
    case idle
    case waiting([CheckedContinuation<Void, Never>])
    case finished
  }

  private var state = State.idle

  public init() {}

  public func value() async {
    if case .finished = state { return }
    await withCheckedContinuation { continuation in
      switch state {
      case .idle: state = .waiting([continuation])
      case .waiting(let others): state = .waiting(others + [continuation])
      case .finished: continuation.resume()
      }
    }
  }

  /// Waits until it has happened or the task is cancelled. Being cancelled finishes it: it is for one waiter alone.
  public func valueOrCancelled() async {
    await withTaskCancellationHandler {
      await value()
    } onCancel: {
      Task.onGLib { self.finish() }
    }
  }

  public func finish() {
    guard case .waiting(let continuations) = state else {
      state = .finished
      return
    }
    state = .finished
    for continuation in continuations { continuation.resume() }
  }
}

extension Task {
  /// Waits until this task has ended, which goes on when who waits is cancelled.
  ///
  /// - Throws: `CancellationError` when who waits is cancelled.
  @GLibActor
  public func untilEnded() async throws {
    let end = Wait()
    Task<Void, Never>.onGLib {
      _ = await self.result
      end.finish()
    }
    await end.valueOrCancelled()
    try Task<Never, Never>.checkCancellation()
  }
}
