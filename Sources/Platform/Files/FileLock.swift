import Glibc

/// A lock between processes: `flock` on a file, which is made where it is missing and never written to. It is released
/// when it is let go, and when the process dies.
///
/// The file must be a regular one of the user's with one name: what somebody has put in its place is refused.
public final class FileLock: Sendable {
  private let file: Descriptor

  /// Opens the file, and locks nothing yet.
  ///
  /// - Throws: ``FileError``.
  package init(_ path: String) throws(FileError) {
    // Some network file systems lock only what could be written to. Without O_NONBLOCK a device could keep us waiting.
    file = try .open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode: 0o600)
    try file.checkIsOwn()
  }

  /// Takes the lock, unless another one has it.
  ///
  /// - Returns: whether it is taken.
  package func tryTake() -> Bool { flock(file.number, LOCK_EX | LOCK_NB) == 0 }
}
