// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The reason why a file or directory could not be read, created, changed or locked.
///
/// The description is a clause about the file. The caller puts it after a sentence that names the file, because only
/// the caller knows the file's purpose and whether its path may be shown.
public enum FileError: Error, Equatable, Sendable, CustomStringConvertible, TranslatableError {
  case missing
  case exists
  /// The disk or the user's quota is full, or the file has reached its maximum size.
  case full
  /// The file system is read-only.
  case readOnly
  case notPermitted
  case symbolicLink
  /// The file is a directory, a named pipe, a socket or a device.
  case notRegular
  /// The file has more than one hard link. The other name may belong to a document of another program.
  case hardLink
  /// The file belongs to another user.
  case foreign
  /// Other users may read or write the file.
  case shared
  /// The file has more than `limit` bytes.
  case tooLarge(limit: Int)
  /// The file does not have the required length. The value is its length in bytes.
  case wrongLength(Int)
  /// Another process held the lock until the caller's deadline.
  case inUse
  /// No descriptor or memory is left. This says nothing about the file.
  case exhausted
  /// Any other error, with the system's message.
  case failed(String)

  /// Translates the `errno` of a failed call.
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

  /// The clause in English.
  public var description: String { reason.original }

  /// The clause for people.
  public var reason: LocalizedText {
    switch self {
    case .missing: en("it does not exist")
    case .exists: en("it already exists")
    case .full: en("the disk is full")
    case .readOnly: en("the file system is read-only")
    case .notPermitted: en("its permissions do not allow it")
    case .symbolicLink: en("it is a symbolic link")
    case .notRegular: en("it is not a regular file")
    case .hardLink: en("it has more than one hard link")
    case .foreign: en("it belongs to another user")
    case .shared: en("other users can read or write it: its mode must be 0600")
    case .tooLarge(let limit): en("it has more than \(limit) bytes")
    case .wrongLength(let count): en("it has \(count) bytes instead of the required length")
    case .inUse: en("another program is using it")
    case .exhausted: en("the system is out of descriptors or memory")
    case .failed(let reason): "\(reason)"
    }
  }
}
