import Glibc

/// Identifies a file or directory by device and inode, independent of its name.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let node: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    node = UInt64(status.st_ino)
  }

  /// The file at `path`, through symbolic links; nil if it cannot be reached.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// The kind of file at a path. Symbolic links are followed.
public enum FileKind: Sendable {
  case nothing
  /// A symbolic link whose target is missing or cannot be reached.
  case brokenLink
  case regular
  case directory
  /// A named pipe or a character device: another program or a driver consumes the data written to it.
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
