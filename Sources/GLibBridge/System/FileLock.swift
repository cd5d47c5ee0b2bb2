import CGLib
import Glibc

/// A lock between processes: `flock` on a file. It is released when it is let go, and when the process dies.
@GLibActor
public final class FileLock {
  private static let retryInterval = Duration.milliseconds(20)

  private let descriptor: Int32

  private init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Takes the lock at `path`, making the file where it is missing, and waits for whoever has it.
  ///
  /// - Throws: ``GLibError``: ``GLibError/timedOut`` when it is not free within `deadline`; `CancellationError`.
  public static func take(_ path: String, deadline: Duration) async throws -> FileLock {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
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
}
