import Glibc

/// Tells a file or directory from all others, whatever its name.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let node: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    node = UInt64(status.st_ino)
  }
}

/// What a path leads to, links followed.
public enum FileKind: Sendable {
  case nothing
  /// A link whose end is not there, or cannot be reached.
  case brokenLink
  case regular
  case directory
  /// A named pipe or a character device: what is written to it, somebody else takes.
  case sink
  /// A socket or a block device.
  case other

  public init(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      self = lstat(path, &status) == 0 ? .brokenLink : .nothing
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .regular
    case S_IFDIR: self = .directory
    case S_IFIFO, S_IFCHR: self = .sink
    default: self = .other
    }
  }
}
