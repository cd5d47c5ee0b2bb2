import CGLib
import Glibc

/// A lock between processes: `flock` on a file. It is released when it is let go, and when the process dies.
@GLibActor
public final class FileLock {
  private static let retryInterval = Duration.milliseconds(20)

  private nonisolated static let openFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW

  private nonisolated let descriptor: Int32

  private nonisolated init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Takes the lock at `path`, making the file where it is missing, and waits for whoever has it.
  ///
  /// - Throws: ``GLibError``: ``GLibError/timedOut`` when it is not free within `deadline`; `CancellationError`.
  public static func take(_ path: String, deadline: Duration) async throws -> FileLock {
    let descriptor = open(path, openFlags, 0o600)
    guard descriptor >= 0 else {
      throw GLibError(domain: "chappie-file", code: errno, message: String(cString: strerror(errno)))
    }
    let lock = FileLock(owning: descriptor)
    let end = ContinuousClock.now + deadline
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard ContinuousClock.now < end else { throw GLibError.timedOut }
      try await sleep(for: retryInterval)
    }
    return lock
  }

  /// Takes the lock at `path` when nobody has it, making the file where it is missing.
  ///
  /// - Returns: nil when somebody has it.
  /// - Throws: ``StorageError``.
  public nonisolated static func attempt(_ path: String) throws(StorageError) -> FileLock? {
    let descriptor = open(path, openFlags, 0o600)
    guard descriptor >= 0 else { throw StorageError(errno: errno) }
    let lock = FileLock(owning: descriptor)
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? lock : nil
  }

  /// Whether who has the lock is at work, or who had it last has died at it: the file is not empty.
  public nonisolated var isMarked: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_size > 0
  }

  /// Notes in the file that work is under way, or done.
  public nonisolated func mark(_ isAtWork: Bool) {
    ftruncate(descriptor, isAtWork ? 1 : 0)
  }
}
