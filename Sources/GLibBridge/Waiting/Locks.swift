// SPDX-License-Identifier: Apache-2.0
import Platform

/// A counting semaphore for tasks. Waiting tasks get permits in first-in, first-out order.
@GLibActor
public final class Semaphore {
  private var free: Int
  private var waiting: [Wait] = []

  public init(_ count: Int) {
    free = count
  }

  /// Waits for a permit and runs `body` with it. Cancelling the task does not end the wait.
  public func withPermit<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
    if free > 0 {
      free -= 1
    } else {
      let wait = Wait()
      waiting.append(wait)
      await wait.value()
    }
    // A released permit passes directly to the first waiting task, so that no later task can overtake it.
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().finish() } }
    return try await body()
  }
}

/// A mutex for asynchronous code. One task holds it at a time; waiting tasks get it in order of arrival, and a
/// cancelled task stops waiting at once.
@GLibActor
public final class AsyncMutex {
  private var tail: Task<Void, Never>?

  public nonisolated init() {}

  /// Runs `body` while holding the mutex.
  ///
  /// - Parameter preparing: runs before the mutex is taken, but after the task has its place in the queue.
  /// - Throws: any error of `preparing` and `body`; `CancellationError` when the task is cancelled while it waits.
  public func withLock<Result: Sendable>(
    preparing: () async throws -> Void = {}, _ body: () async throws -> Result
  ) async throws -> Result {
    let before = tail
    let done = Wait()
    tail = Task.onGLib {
      await before?.value
      await done.value()
    }
    defer { done.finish() }
    try await preparing()
    try await before?.untilEnded()
    return try await body()
  }
}

/// A mutex for each key, as long as somebody uses it.
@GLibActor
package final class Mutexes<Key: Hashable & Sendable> {
  private var mutexes: [Key: (mutex: AsyncMutex, users: Int)] = [:]

  package nonisolated init() {}

  /// Whether nobody has the mutex of a key or waits for it.
  package func isFree(_ key: Key) -> Bool { mutexes[key] == nil }

  /// Runs `body` while holding the mutex of a key.
  ///
  /// - Parameter preparing: runs before the wait, so that its failure is reported at once.
  /// - Throws: the errors of `preparing` and `body`; `CancellationError`.
  package func withLock<Result: Sendable>(
    _ key: Key, preparing: () async throws -> Void = {}, _ body: () async throws -> Result
  ) async throws -> Result {
    let (mutex, others) = mutexes[key] ?? (AsyncMutex(), 0)
    mutexes[key] = (mutex, others + 1)
    defer {
      let rest = (mutexes[key]?.users ?? 1) - 1
      mutexes[key] = rest == 0 ? nil : (mutex, rest)
    }
    return try await mutex.withLock(preparing: preparing, body)
  }
}

extension FileLock {
  private static let retryInterval = Duration.milliseconds(20)

  /// Locks the file at `path`, and waits while another process holds the lock.
  ///
  /// - Throws: `FileError`, with `inUse` when the lock is not free within `deadline`; `CancellationError`.
  @GLibActor
  public static func take(_ path: String, deadline: Duration) async throws -> FileLock {
    let lock = try FileLock(path)
    let end = ContinuousClock.now + deadline
    while !lock.tryTake() {
      guard ContinuousClock.now < end else { throw FileError.inUse }
      try await sleep(for: retryInterval)
    }
    return lock
  }
}
