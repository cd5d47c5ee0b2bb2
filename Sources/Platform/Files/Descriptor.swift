// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc

/// A file descriptor, closed when the last reference is released.
package final class Descriptor: Sendable {
  package let number: Int32

  /// Takes over the descriptor that a call returned. Nil, with the reason in `errno`, when the call failed.
  package init?(owning number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Opens a file with close-on-exec.
  ///
  /// - Parameters:
  ///   - directory: the directory to which a relative path is relative; nil for the working directory.
  ///   - mode: the permissions of a file that this call creates.
  /// - Throws: ``FileError``.
  static func open(
    _ path: String, in directory: Descriptor? = nil, _ flags: Int32, mode: mode_t = 0
  ) throws(FileError) -> Descriptor {
    let number = openat(directory?.number ?? AT_FDCWD, path, flags | O_CLOEXEC, mode)
    guard let file = Descriptor(owning: number) else { throw FileError(errno: errno) }
    return file
  }

  /// A file in memory that holds `bytes`. Nobody can change it.
  ///
  /// - Throws: ``FileError``.
  package static func sealed(_ bytes: [UInt8]) throws(FileError) -> Descriptor {
    guard let file = Descriptor(owning: chappie_memory_file()) else { throw FileError(errno: errno) }
    try file.write(bytes)
    guard chappie_seal(file.number) == 0, lseek(file.number, 0, SEEK_SET) == 0 else { throw FileError(errno: errno) }
    return file
  }

  /// Flags for reading. With these, opening a named pipe or a device does not block.
  static let reading = O_RDONLY | O_NONBLOCK | O_NOCTTY

  func status() throws(FileError) -> stat { try Self.status(of: number) }

  static func status(of number: Int32) throws(FileError) -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw FileError(errno: errno) }
    return status
  }

  /// Checks that this is a regular file that belongs to the user and has one hard link. Callers check before they write
  /// to or lock a file, since another user may have put it there.
  ///
  /// - Throws: ``FileError/symbolicLink``, ``FileError/notRegular``, ``FileError/hardLink``, ``FileError/foreign``.
  func checkIsOwn() throws(FileError) {
    try Self.checkIsOwn(status())
  }

  /// Checks the status of a file that was not opened.
  ///
  /// - Throws: as ``checkIsOwn()``.
  static func checkIsOwn(_ status: stat) throws(FileError) {
    guard status.st_mode & S_IFMT != S_IFLNK else { throw .symbolicLink }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard status.st_nlink <= 1 else { throw .hardLink }
    guard status.st_uid == geteuid() else { throw .foreign }
  }

  /// The content of an open regular file, from its start.
  ///
  /// - Parameter limit: the longest content, in bytes.
  /// - Throws: ``FileError``; ``FileError/tooLarge(limit:)`` above the limit.
  func content(limit: Int) throws(FileError) -> [UInt8] {
    guard try status().st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    return try Self.content(of: number, limit: limit)
  }

  /// Reads a regular file as ``content(limit:)`` does, and leaves the position of the descriptor.
  static func content(of number: Int32, limit: Int) throws(FileError) -> [UInt8] {
    // Files in procfs report a size of 0, so the limit is applied while reading.
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(limit + 1, 16 << 10))
    while content.count <= limit {
      let count = pread(number, &buffer, buffer.count, content.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(errno: errno) }
      guard count > 0 else { return content }
      content += buffer[..<count]
    }
    throw .tooLarge(limit: limit)
  }

  /// Writes all of `bytes`, and blocks while the file accepts none.
  ///
  /// - Throws: ``FileError``.
  func write(_ bytes: [UInt8]) throws(FileError) {
    if let error = Self.write(bytes, to: number) { throw FileError(errno: error) }
  }

  /// Writes all of `bytes`, and blocks while the file accepts none.
  ///
  /// - Returns: the `errno` of the call that failed; nil after success.
  static func write(_ bytes: [UInt8], to number: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
      switch (count, errno) {
      case (1..., _): rest = rest.dropFirst(count)
      case (_, EINTR): continue
      case (_, EAGAIN):
        var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
      case (_, let error): return error
      }
    }
    return nil
  }
}

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
