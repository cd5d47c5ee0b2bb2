// SPDX-License-Identifier: Apache-2.0

/// A one-shot event: tasks wait until it is finished. Waiting after that returns at once.
@GLibActor
public final class Wait {
  /// The tasks that wait; nil when the event is finished.
  private var waiting: [CheckedContinuation<Void, Never>]? = []

  public init() {}

  /// Waits until the event is finished, even when the task is cancelled.
  public func value() async {
    guard waiting != nil else { return }
    await withCheckedContinuation { continuation in
      if waiting == nil { continuation.resume() } else { waiting?.append(continuation) }
    }
  }

  /// Waits until the event is finished or the task is cancelled. Cancellation finishes the event for all waiting tasks,
  /// so use this with one waiting task only.
  public func valueOrCancelled() async {
    await withTaskCancellationHandler {
      await value()
    } onCancel: {
      Task.onGLib { self.finish() }
    }
  }

  /// Finishes the event and resumes the waiting tasks. Later calls have no effect.
  ///
  /// Tasks of `Task.onGLib` continue in the order in which they began to wait. Other tasks continue in any
  /// order, because they resume on Swift's thread pool before they return to the actor.
  public func finish() {
    let continuations = waiting ?? []
    waiting = nil
    for continuation in continuations { continuation.resume() }
  }
}

extension Task {
  /// Waits until this task has ended. Cancelling the waiting task does not cancel this one.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled.
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

/// A value that is provided once, by another task. Use ``Wait`` for an event without a value.
@GLibActor
public final class Promise<Value: Sendable> {
  private let wait = Wait()
  private var outcome: Value?

  public init() {}

  public var isFulfilled: Bool { outcome != nil }

  /// Provides the value. Later calls have no effect.
  public func fulfil(_ value: Value) {
    guard outcome == nil else { return }
    outcome = value
    wait.finish()
  }

  /// Waits for the value. Only one task may wait.
  ///
  /// - Throws: `CancellationError`.
  public func value() async throws -> Value {
    await wait.valueOrCancelled()
    guard let outcome else { throw CancellationError() }
    return outcome
  }
}

/// Work whose result goes to all who ask for it while it is done. Those who ask later have it done again.
@GLibActor
package final class SharedWork<Value: Sendable> {
  private let work: @GLibActor @Sendable () async throws -> Value
  private var running: Task<Value, any Error>?

  package init(_ work: @escaping @GLibActor @Sendable () async throws -> Value) {
    self.work = work
  }

  /// - Throws: the work's error; `CancellationError` when the waiting task is cancelled, while the work goes on.
  package func value() async throws -> Value {
    let task = running ?? start()
    try await task.untilEnded()
    return try await task.value
  }

  private func start() -> Task<Value, any Error> {
    let task = Task.onGLib {
      defer { self.running = nil }
      return try await self.work()
    }
    running = task
    return task
  }
}
