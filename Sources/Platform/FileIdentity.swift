// SPDX-License-Identifier: Apache-2.0
import CPlatform
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

/// The executable file of this process. An upgrade replaces it, and a removal deletes it, while the process runs.
public struct ProgramFile: Sendable {
  public let path: String
  private let identity: FileIdentity

  /// Nil if the system does not tell which file this process runs, or if its path leads to another one here, as in
  /// another mount namespace.
  public init?() {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0, let identity = FileIdentity("/proc/self/exe") else { return nil }
    let name = String(decoding: path.prefix(count), as: UTF8.self)
    self.identity = identity
    if name.hasPrefix("/"), name.hasSuffix(Self.deletedMark) {
      // The file was replaced while this process started.
      self.path = String(name.dropLast(Self.deletedMark.count))
    } else {
      self.path = name
      if isReplaced { return nil }
    }
  }

  /// The kernel's mark after the path of a file that is gone.
  private static let deletedMark = " (deleted)"

  /// Whether the path names another file now, or none.
  public var isReplaced: Bool { FileIdentity(path) != identity }
}
