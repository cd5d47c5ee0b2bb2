import Glibc

/// A file descriptor, closed with the last reference.
final class Descriptor: Sendable {
  let number: Int32

  /// Nil, with the reason in `errno`, when `number` is what a failed call returned.
  init?(owning number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit {
    close(number)
  }

  var status: stat? {
    var status = stat()
    return fstat(number, &status) == 0 ? status : nil
  }

  /// Only what nobody else has put there is written to, or locked: a regular file of the user's with this one name.
  ///
  /// - Throws: ``StorageError/notRegular``, ``StorageError/linked``, ``StorageError/foreign``.
  func checkIsOwn() throws(StorageError) {
    guard let status else { throw StorageError(errno: errno) }
    try Self.checkIsOwn(status)
  }

  /// - Throws: as ``checkIsOwn()``.
  static func checkIsOwn(_ status: stat) throws(StorageError) {
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard status.st_nlink <= 1 else { throw .linked }
    guard status.st_uid == geteuid() else { throw .foreign }
  }

  /// The content of an open regular file.
  ///
  /// - Throws: ``FileError``.
  func content(limit: Int) throws(FileError) -> [UInt8] {
    guard let status, status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    // What procfs makes up when it is read has no size; so the limit counts while reading, not before.
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(limit + 1, 16 << 10))
    while content.count <= limit {
      let count = read(number, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(errno: errno) }
      guard count > 0 else { return content }
      content += buffer[..<count]
    }
    throw .tooLarge(limit: limit)
  }
}

/// Why a file could not be read.
public enum FileError: Error, Equatable, Sendable, CustomStringConvertible {
  case missing
  case forbidden
  /// It is a directory, a link where none may be, or a device.
  case notRegular
  /// It has more than `limit` bytes.
  case tooLarge(limit: Int)
  /// Nothing is left to open it with: no descriptor, no memory. It says nothing of the file.
  case exhausted
  case failed(String)

  init(errno number: Int32) {
    switch number {
    case ENOENT, ENOTDIR, ESRCH: self = .missing
    case EACCES, EPERM: self = .forbidden
    case ELOOP, ENXIO: self = .notRegular
    case EMFILE, ENFILE, ENOMEM: self = .exhausted
    default: self = .failed(String(cString: strerror(number)))
    }
  }

  public var description: String {
    switch self {
    case .missing: "it is not there"
    case .forbidden: "it may not be read"
    case .notRegular: "it is not a regular file"
    case .tooLarge(let limit): "it has more than \(limit) bytes"
    case .exhausted: "the system is out of descriptors or memory"
    case .failed(let reason): reason
    }
  }
}
