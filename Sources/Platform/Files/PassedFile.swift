// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc
import Synchronization

/// A file that another program has opened and passed, closed when the last reference is released.
///
/// Its file system may be one that does not answer, such as a network's that is gone: then every call for the file
/// blocks its thread, and so does closing. So it is closed on another thread, and the methods block.
package final class PassedFile: Sendable {
  private let number: Int32

  /// Takes over a descriptor.
  package init(owning number: Int32) {
    self.number = number
  }

  deinit {
    Closing.close(number)
  }

  /// Whether so few files wait to be closed that there may be more. Otherwise file systems do not answer.
  package static var mayBeReceived: Bool { Closing.mayGrow }

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

/// Closes files on threads of its own. A file system that does not answer holds one of them for each of its files.
private enum Closing {
  private struct State {
    var waiting: [Int32] = []
    var threads = 0
  }

  private static let threadLimit = 4
  /// The number of waiting files above which no more may be received.
  private static let waitingLimit = 512
  private static let state = Mutex(State())

  static var mayGrow: Bool { state.withLock { $0.threads < threadLimit || $0.waiting.count < waitingLimit } }

  static func close(_ number: Int32) {
    let needsThread = state.withLock { state in
      state.waiting.append(number)
      guard state.threads < threadLimit else { return false }
      state.threads += 1
      return true
    }
    guard needsThread else { return }
    var thread = pthread_t()
    let failed = pthread_create(
      &thread, nil,
      { _ in
        Closing.closeAll()
        return nil
      }, nil)
    // The next file that is closed tries again.
    if failed == 0 { pthread_detach(thread) } else { state.withLock { $0.threads -= 1 } }
  }

  private static func closeAll() {
    while let number = next() { Glibc.close(number) }
  }

  /// The next file; nil at the end of the thread.
  private static func next() -> Int32? {
    state.withLock { state in
      if state.waiting.isEmpty { state.threads -= 1 }
      return state.waiting.popLast()
    }
  }
}
