// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc

/// What can be read of a file that another program has opened, by its descriptor. Each call blocks where the file system
/// does not answer.
package enum ForeignFile {
  /// The size of the file in bytes.
  ///
  /// - Throws: ``FileError/notRegular``, ``FileError``, also for a file that was not opened for reading.
  package static func size(of number: Int32) throws(FileError) -> Int {
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
  /// - Throws: as ``size(of:)``; ``FileError/tooLarge(limit:)`` above the limit.
  package static func content(of number: Int32, limit: Int) throws(FileError) -> [UInt8] {
    _ = try size(of: number)
    return try Descriptor.content(of: number, limit: limit)
  }

  /// The name under which the file was opened, without its directory. Bytes that are not UTF-8 become U+FFFD. Nil for a
  /// file that never had a name.
  package static func name(of number: Int32) throws(FileError) -> String? {
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
