import Glibc
import SecretMemory

/// A small file with a secret. Nothing but a regular file of the user's own that nobody else can read is taken for one.
public enum SecretFile {
  /// The content of the file at `path`; nil where there is none.
  ///
  /// - Parameter sizes: how many bytes it may have.
  /// - Throws: ``FileError`` for a file that cannot be read, and for anything else in its place, with the reason.
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
            failure = read < 0 ? FileError(errno: errno) : .failed("it became shorter while it was read")
            return
          }
          filled += read
        }
      }
    }
    if let failure { throw failure }
    return secret
  }

  /// Makes a file with `secret`, whole and on the disk when this returns. Of several programs that do so at once, one
  /// succeeds.
  ///
  /// - Throws: ``FileError``: ``FileError/exists`` where something is in its place, whatever it is.
  public static func create(_ secret: SecretBytes, _ name: String, in directory: StorageDirectory) throws(FileError) {
    let temporary = Files.temporaryPath(in: directory.path)
    let file = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    defer { unlink(temporary) }
    BackupExclusion.mark(file)
    let isWritten = secret.withBytes { write(file.number, $0.baseAddress, $0.count) == $0.count }
    guard isWritten, fsync(file.number) == 0 else { throw FileError(errno: errno) }
    // A link never replaces what is there, and never shows a half.
    guard link(temporary, directory.path(of: name)) == 0 else { throw FileError(errno: errno) }
    try directory.synchronize()
  }
}
