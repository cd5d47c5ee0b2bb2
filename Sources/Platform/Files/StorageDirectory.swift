// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc

/// A directory in which a store keeps its files.
public struct StorageDirectory: Hashable, Sendable {
  public let path: String

  /// Does not access the file system.
  public init(_ path: String) {
    self.path = path
  }

  public func path(of name: String) -> String { path + "/" + name }

  /// Creates the directory and its parents when they are missing. Only the user can enter the directory.
  ///
  /// - Throws: ``FileError``.
  public func make() throws(FileError) {
    try Files.makeDirectory(path)
    let directory = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
    if try directory.status().st_mode & 0o077 != 0 { fchmod(directory.number, 0o700) }
    BackupExclusion.mark(directory)
  }

  /// The same directory by its real path, without symbolic links; unchanged when the directory does not exist.
  public var resolved: StorageDirectory {
    Files.realPath(of: path).map { StorageDirectory($0) } ?? self
  }

  /// Creates an empty file with mode 0600 that is excluded from backups. An existing file of that name is left
  /// unchanged.
  ///
  /// The new file is closed before it gets its name, because closing a file releases all POSIX locks that this process
  /// holds on it.
  ///
  /// - Throws: ``FileError``.
  public func makeFile(_ name: String) throws(FileError) {
    let temporary = Files.temporaryPath(in: path)
    defer { unlink(temporary) }
    try BackupExclusion.mark(.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600))
    if chappie_rename_new(temporary, path(of: name)) == 0 || errno == EEXIST { return }
    // Not every file system supports renameat2 with RENAME_NOREPLACE.
    guard link(temporary, path(of: name)) == 0 || errno == EEXIST else { throw FileError(errno: errno) }
  }

  /// Gives an existing file at least this size, and takes the room on the disk for it.
  ///
  /// - Throws: ``FileError``. The file then has the size that it had.
  public func allocate(_ bytes: Int64, for name: String) throws(FileError) {
    let file = try Descriptor.open(path(of: name), O_WRONLY | O_NOFOLLOW)
    let size = try file.status().st_size
    let error = posix_fallocate(file.number, 0, off_t(bytes))
    guard error != 0 else { return }
    ftruncate(file.number, size)
    throw FileError(errno: error)
  }

  /// The file of this name, without opening it; nil when it does not exist.
  ///
  /// - Throws: ``FileError``, as ``Descriptor/checkIsOwn()`` does for anything but a regular file of the user with one
  ///   hard link.
  public func ownFile(_ name: String) throws(FileError) -> OwnFile? {
    guard let status = try entry(name) else { return nil }
    try Descriptor.checkIsOwn(status)
    return OwnFile(identity: FileIdentity(status), size: Int64(status.st_size))
  }

  /// Whether the directory has an entry of this name. A broken symbolic link counts.
  ///
  /// - Throws: ``FileError`` when the entry cannot be inspected.
  public func contains(_ name: String) throws(FileError) -> Bool { try entry(name) != nil }

  private func entry(_ name: String) throws(FileError) -> stat? {
    if let status = Files.status(path(of: name), followsLinks: false) { return status }
    let error = FileError(errno: errno)
    guard error == .missing else { throw error }
    return nil
  }

  /// Renames a file, and replaces a file that has the new name.
  ///
  /// - Throws: ``FileError``.
  public func rename(_ name: String, to newName: String) throws(FileError) {
    guard renameat(AT_FDCWD, path(of: name), AT_FDCWD, path(of: newName)) == 0 else { throw FileError(errno: errno) }
  }

  /// Removes a file. A missing file is not an error.
  ///
  /// - Throws: ``FileError``.
  public func remove(_ name: String) throws(FileError) {
    guard unlink(path(of: name)) == 0 || errno == ENOENT else { throw FileError(errno: errno) }
  }

  /// Waits until the directory's entries are on the disk.
  ///
  /// - Throws: ``FileError``.
  public func synchronize() throws(FileError) {
    let directory = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
    // EINVAL: the file system does not support it and does not need it.
    guard fsync(directory.number) == 0 || errno == EINVAL else { throw FileError(errno: errno) }
  }
}

/// A regular file that belongs to the user.
public struct OwnFile: Hashable, Sendable {
  public let identity: FileIdentity
  /// The size in bytes.
  public let size: Int64
}

/// Excludes files and directories from backups. Backup programs use different marks, and some file systems do not
/// support all of them: a mark that cannot be set is skipped.
public enum BackupExclusion {
  /// Marks an open file or directory with the extended attribute and the no-dump flag.
  static func mark(_ file: Descriptor) {
    let value = Array("false".utf8)
    fsetxattr(file.number, attribute, value, value.count, 0)
    chappie_set_no_dump(file.number)
  }

  /// Marks a file with the extended attribute and the no-dump flag. This opens and closes the file, which releases all
  /// POSIX locks that this process holds on it.
  public static func mark(_ name: String, in directory: StorageDirectory) {
    if let file = try? Descriptor.open(directory.path(of: name), Descriptor.reading | O_NOFOLLOW) { mark(file) }
  }

  /// Marks a file with the extended attribute only, without opening it.
  public static func markUnopened(_ name: String, in directory: StorageDirectory) {
    let value = Array("false".utf8)
    lsetxattr(directory.path(of: name), attribute, value, value.count, 0)
  }

  /// Writes the files that tell backup programs to skip a directory.
  ///
  /// - Parameter content: one sentence that tells a person what the directory contains.
  /// - Throws: ``FileError``.
  public static func writeMarks(in directory: StorageDirectory, content description: String) throws(FileError) {
    let tag = "\(signature)\n# \(description)\n"
    for (name, content) in [("CACHEDIR.TAG", tag), (".nobackup", "")] {
      guard try !directory.contains(name) else { continue }
      do throws(FileError) {
        try Files.create(Array(content.utf8), at: directory.path(of: name))
      } catch .exists {
        // Another process has just created it.
      }
    }
  }

  private static let attribute = "user.xdg.robots.backup"

  /// The first line of each CACHEDIR.TAG, see https://bford.info/cachedir/.
  private static let signature = "Signature: 8a477f597d28d172789f06886806bc55"
}
