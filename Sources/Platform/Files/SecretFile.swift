import CGLib
import Glibc
import SecretMemory

/// A small file with a secret. Nothing but a regular file of the user's own that nobody else can read is taken for one.
public enum SecretFile {
  /// The content of the file at `path`; nil where there is none.
  ///
  /// - Parameter sizes: how many bytes it may have.
  /// - Throws: ``StorageError`` for a file that cannot be read, and for anything else in its place, with the reason.
  public static func read(_ path: String, sizes: ClosedRange<Int>) throws(StorageError) -> SecretBytes? {
    // Without O_NONBLOCK a named pipe would wait for its writer.
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    guard let file = Descriptor(owning: open(path, flags)) else {
      switch errno {
      case ENOENT, ENOTDIR: return nil
      case ELOOP: throw .failed("it is a symbolic link")
      default: throw StorageError(errno: errno)
      }
    }
    guard let status = file.status else { throw StorageError(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .failed("it is not a regular file") }
    guard status.st_uid == geteuid() else { throw .failed("it belongs to another user") }
    guard status.st_mode & 0o077 == 0 else { throw .failed("others can read or write it: its mode has to be 0600") }
    guard sizes.contains(Int(status.st_size)) else {
      throw .failed("it has \(status.st_size) bytes, and not the length that it has to have")
    }
    return try content(of: file, count: Int(status.st_size))
  }

  private static func content(of file: Descriptor, count: Int) throws(StorageError) -> SecretBytes {
    var failure: StorageError?
    let secret = SecretBytes(count: count) { span in
      span.withUnsafeMutableBytes { bytes in
        var filled = 0
        while filled < count {
          let read = pread(file.number, bytes.baseAddress.map { $0 + filled }, count - filled, off_t(filled))
          if read < 0, errno == EINTR { continue }
          guard read > 0 else {
            failure = read < 0 ? StorageError(errno: errno) : .failed("it became shorter while it was read")
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
  /// - Throws: ``StorageError``: ``StorageError/exists`` where something is in its place, whatever it is.
  public static func create(_ secret: SecretBytes, _ name: String, in directory: StorageDirectory) throws(StorageError)
  {
    let temporary = directory.path(of: ".\(UniqueID.make())")
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(owning: open(temporary, flags, 0o600)) else { throw StorageError(errno: errno) }
    defer { unlink(temporary) }
    BackupExclusion.mark(file)
    let isWritten = secret.withBytes { write(file.number, $0.baseAddress, $0.count) == $0.count }
    guard isWritten, fsync(file.number) == 0 else { throw StorageError(errno: errno) }
    // A link never replaces what is there, and never shows a half.
    guard link(temporary, directory.path(of: name)) == 0 else { throw StorageError(errno: errno) }
    try directory.synchronize()
  }
}
