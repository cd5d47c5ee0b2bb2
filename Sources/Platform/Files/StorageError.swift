import Glibc

/// Why a file of a store could not be read or written.
public enum StorageError: Error, Equatable, Sendable, CustomStringConvertible {
  case missing
  case exists
  /// The disk or the user's share of it is full, or the file as long as it may get.
  case full
  /// The file system takes no changes.
  case readOnly
  case forbidden
  /// It is a link, a named pipe or a device.
  case notRegular
  /// It has another name too, which may be that of somebody's document.
  case linked
  /// It belongs to another user.
  case foreign
  case failed(String)

  init(errno number: Int32) {
    switch number {
    case ENOENT, ENOTDIR: self = .missing
    case EEXIST: self = .exists
    case ENOSPC, EDQUOT, EFBIG: self = .full
    case EROFS: self = .readOnly
    case EACCES, EPERM: self = .forbidden
    case ELOOP, ENXIO, EISDIR: self = .notRegular
    default: self = .failed(String(cString: strerror(number)))
    }
  }

  public var description: String {
    switch self {
    case .missing: "it is not there"
    case .exists: "it is there already"
    case .full: "the disk is full"
    case .readOnly: "the disk cannot be written to"
    case .forbidden: "its permissions do not allow it"
    case .notRegular: "in place of a file there is a link, or something that is no regular file: remove that"
    case .linked: "a file has another name too, as a hard link: remove this one"
    case .foreign: "a file belongs to another user: remove it"
    case .failed(let reason): reason
    }
  }
}
