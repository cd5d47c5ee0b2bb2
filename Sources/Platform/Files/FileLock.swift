import CGLib
import Glibc

/// A lock between processes: `flock` on a file, which is made where it is missing and never written to. It is released
/// when it is let go, and when the process dies.
///
/// The file must be a regular one of the user's with one name: what somebody has put in its place is refused.
@GLibActor
public final class FileLock {
  private static let retryInterval = Duration.milliseconds(20)

  private nonisolated let file: Descriptor

  /// - Throws: ``StorageError``.
  private nonisolated init(_ path: String) throws(StorageError) {
    // Some network file systems lock only what could be written to. Without O_NONBLOCK a device could keep us waiting.
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    guard let file = Descriptor(owning: open(path, flags, 0o600)) else { throw StorageError(errno: errno) }
    try file.checkIsOwn()
    self.file = file
  }

  private nonisolated var isTaken: Bool { flock(file.number, LOCK_EX | LOCK_NB) == 0 }

  /// Takes the lock at `path` and waits for whoever has it.
  ///
  /// - Throws: ``StorageError``; ``GLibError/timedOut`` when it is not free within `deadline`; `CancellationError`.
  public static func take(_ path: String, deadline: Duration) async throws -> FileLock {
    let lock = try FileLock(path)
    let end = ContinuousClock.now + deadline
    while !lock.isTaken {
      guard ContinuousClock.now < end else { throw GLibError.timedOut }
      try await sleep(for: retryInterval)
    }
    return lock
  }
}
