// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc
import SecretMemory

/// A small file that holds a secret. Only a regular file that belongs to the user and that nobody else can read is
/// accepted.
public enum SecretFile {
  /// The content of the file at `path`; nil when the file does not exist.
  ///
  /// - Parameter sizes: the allowed sizes in bytes.
  /// - Throws: ``FileError`` when the file cannot be read or is not acceptable, with the reason.
  public static func read(_ path: String, sizes: ClosedRange<Int>) throws(FileError) -> SecretBytes? {
    let file: Descriptor
    do throws(FileError) {
      file = try .open(path, Descriptor.reading | O_NOFOLLOW)
    } catch .missing {
      return nil
    }
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard status.st_uid == geteuid() else { throw .foreign }
    guard status.st_mode & 0o077 == 0 else { throw .shared }
    let count = Int(status.st_size)
    guard sizes.contains(count) else { throw .wrongLength(count) }
    return try content(of: file, count: count)
  }

  private static func content(of file: Descriptor, count: Int) throws(FileError) -> SecretBytes {
    var failure: FileError?
    let secret = SecretBytes(count: count) { span in
      span.withUnsafeMutableBytes { bytes in
        var filled = 0
        while filled < count {
          let read = pread(file.number, bytes.baseAddress.map { $0 + filled }, count - filled, off_t(filled))
          if read < 0, errno == EINTR { continue }
          guard read > 0 else {
            failure = read < 0 ? FileError(errno: errno) : .failed("it was truncated while it was being read")
            return
          }
          filled += read
        }
      }
    }
    if let failure { throw failure }
    return secret
  }

  /// Creates a file with `secret` as its content. When this returns, the whole file is on the disk. When several
  /// processes call this at the same time, exactly one succeeds.
  ///
  /// - Throws: ``FileError``; ``FileError/exists`` when anything already has this name.
  public static func create(_ secret: SecretBytes, _ name: String, in directory: StorageDirectory) throws(FileError) {
    let temporary = Files.temporaryPath(in: directory.path)
    let file = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    defer { unlink(temporary) }
    BackupExclusion.mark(file)
    let isWritten = secret.withBytes { write(file.number, $0.baseAddress, $0.count) == $0.count }
    guard isWritten, fsync(file.number) == 0 else { throw FileError(errno: errno) }
    // link(2) never replaces an existing file, and the file is complete before it gets its name.
    guard link(temporary, directory.path(of: name)) == 0 else { throw FileError(errno: errno) }
    try directory.synchronize()
  }
}
