// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A mutex between processes: `flock` on a file, which is created when missing and never written to. It is unlocked
/// when the last reference is released or the process ends.
///
/// The file must be a regular file that belongs to the user and has one hard link. Anything else is refused, since
/// another user may have put it there.
public final class FileLock: Sendable {
  private let file: Descriptor

  /// Opens the file without locking it.
  ///
  /// - Throws: ``FileError``.
  package init(_ path: String) throws(FileError) {
    // Some network file systems lock only files that are open for writing. Without O_NONBLOCK, opening a device could
    // block.
    file = try .open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode: 0o600)
    try file.checkIsOwn()
  }

  /// Tries to lock the file, without waiting.
  ///
  /// - Returns: whether this object now holds the lock.
  package func tryTake() -> Bool { flock(file.number, LOCK_EX | LOCK_NB) == 0 }
}
