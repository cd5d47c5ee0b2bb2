// SPDX-License-Identifier: Apache-2.0
import Platform

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
