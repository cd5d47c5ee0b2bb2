// SPDX-License-Identifier: Apache-2.0
import CGLib
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

  /// The size of the file, as ``ForeignFile/size(of:)``.
  package func size() throws(FileError) -> Int { try ForeignFile.size(of: number) }

  /// The content from the start of the file, as ``ForeignFile/content(of:limit:)``.
  package func content(limit: Int) throws(FileError) -> [UInt8] {
    try ForeignFile.content(of: number, limit: limit)
  }

  /// The name of the file, as ``ForeignFile/name(of:)``.
  package func name() throws(FileError) -> String? { try ForeignFile.name(of: number) }
}
