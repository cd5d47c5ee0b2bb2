// SPDX-License-Identifier: Apache-2.0
import CGLib
import CPlatform
import Glibc
import Platform

/// A file that another program has opened and passed, closed when the last reference is released.
///
/// Its file system may be one that does not answer, such as a network's that is gone: then every call for the file
/// blocks its thread, and so does closing. So it is closed on another thread, and the methods block.
package final class PassedFile: Sendable {
  /// Closes files on threads of its own. A file system that does not answer holds one of them for each of its files.
  private nonisolated(unsafe) static let closing = g_thread_pool_new(
    { number, _ in Glibc.close(Int32(Int(bitPattern: number) - 1)) }, nil, threadLimit, 0, nil)
  private static let threadLimit: gint = 4
  /// The number of waiting files above which no more may be received.
  private static let waitingLimit = 512

  private let number: Int32

  /// Takes over a descriptor.
  package init(owning number: Int32) {
    self.number = number
  }

  deinit {
    // One more than the number, as GLib queues no null pointer. If no thread can start, the file waits for the next.
    g_thread_pool_push(Self.closing, UnsafeMutableRawPointer(bitPattern: Int(number) + 1), nil)
  }

  /// Whether so few files wait to be closed that there may be more. Otherwise file systems do not answer.
  package static var mayBeReceived: Bool {
    // Where no thread could start, the next file may start one.
    g_thread_pool_unprocessed(closing) < waitingLimit || g_thread_pool_get_num_threads(closing) < threadLimit
  }

  /// The size of the file in bytes.
  ///
  /// - Throws: ``FileError/notRegular``, ``FileError``, also for a file that was not opened for reading.
  package func size() throws(FileError) -> Int {
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0 else { throw FileError(errno: errno) }
    let status = try Descriptor.status(of: number)
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard flags & chappie_open_path() == 0, flags & O_ACCMODE != O_WRONLY else {
      throw .failed("it is not open for reading")
    }
    return Int(status.st_size)
  }

  /// The content from the start of the file. The position, which belongs to the other program too, stays.
  ///
  /// - Parameter limit: the longest content, in bytes.
  /// - Throws: as ``size()``; ``FileError/tooLarge(limit:)`` above the limit.
  package func content(limit: Int) throws(FileError) -> [UInt8] {
    _ = try size()
    return try Descriptor.content(of: number, limit: limit)
  }

  /// The name under which the file was opened, without its directory. Bytes that are not UTF-8 become U+FFFD. Nil for a
  /// file that never had a name.
  package func name() throws(FileError) -> String? {
    guard var name = Files.target(of: "/proc/self/fd/\(number)") else { throw FileError(errno: errno) }
    if let slash = name.lastIndex(of: UInt8(ascii: "/")) { name.removeFirst(slash + 1) }
    // The kernel's marks of a file that has no name now, and of one in memory.
    let (deleted, memory) = (Array(" (deleted)".utf8), Array("memfd:".utf8))
    if try Descriptor.status(of: number).st_nlink == 0, name.suffix(deleted.count) == deleted[...] {
      name.removeLast(deleted.count)
      if name.starts(with: memory) { name.removeFirst(memory.count) }
      if name.first == UInt8(ascii: "#") { return nil }
    }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }
}
