import Glibc

/// Why a file or a directory could not be read, made, changed or locked.
///
/// The description is a clause about the file, to stand behind a sentence that names it: only a caller knows the file's
/// part in what failed, and whether its path may be told.
public enum FileError: Error, Equatable, Sendable, CustomStringConvertible {
  case missing
  case exists
  /// The disk or the user's share of it is full, or the file as long as it may get.
  case full
  /// The file system takes no changes.
  case readOnly
  case notPermitted
  case symbolicLink
  /// It is a directory, a named pipe, a socket or a device.
  case notRegular
  /// It has another name too, which may be that of somebody's document.
  case hardLink
  /// It belongs to another user.
  case foreign
  /// Others than the user may read or write it.
  case shared
  /// It has more than `limit` bytes.
  case tooLarge(limit: Int)
  /// It has not the only length that it may have.
  case wrongLength(Int)
  /// Another program has locked it for longer than the caller waits.
  case inUse
  /// The system has no descriptor or no memory left to open it with, which says nothing of the file.
  case exhausted
  /// Anything else, with the system's reason.
  case failed(String)

  /// What `errno` says after a call on a file has failed.
  package init(errno number: Int32) {
    switch number {
    case ENOENT, ENOTDIR, ESRCH: self = .missing
    case EEXIST: self = .exists
    case ENOSPC, EDQUOT, EFBIG: self = .full
    case EROFS: self = .readOnly
    case EACCES, EPERM: self = .notPermitted
    case ELOOP: self = .symbolicLink
    case ENXIO, EISDIR: self = .notRegular
    case EMFILE, ENFILE, ENOMEM: self = .exhausted
    default: self = .failed(String(cString: strerror(number)))
    }
  }

  public var description: String {
    switch self {
    case .missing: "it is not there"
    case .exists: "it is there already"
    case .full: "the disk is full"
    case .readOnly: "the disk cannot be written to"
    case .notPermitted: "its permissions do not allow it"
    case .symbolicLink: "it is a symbolic link"
    case .notRegular: "it is not a regular file"
    case .hardLink: "it has another name too, as a hard link"
    case .foreign: "it belongs to another user"
    case .shared: "others can read or write it: its mode has to be 0600"
    case .tooLarge(let limit): "it has more than \(limit) bytes"
    case .wrongLength(let count): "it has \(count) bytes, and not the length that it has to have"
    case .inUse: "another program is using it"
    case .exhausted: "the system is out of descriptors or memory"
    case .failed(let reason): reason
    }
  }
}
