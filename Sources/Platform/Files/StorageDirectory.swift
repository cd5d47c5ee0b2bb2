import CGLib
import Glibc

/// A directory that a store keeps its files in.
public struct StorageDirectory: Hashable, Sendable {
  public let path: String

  /// Nothing is made or read yet.
  public init(_ path: String) {
    self.path = path
  }

  public var exists: Bool { Files.exists(path) }

  public func path(of name: String) -> String { path + "/" + name }

  /// Makes the directory where it is missing, with its parents; only the user can enter it.
  ///
  /// - Throws: ``StorageError``.
  public func make() throws(StorageError) {
    var attempts = 0
    while g_mkdir_with_parents(path, 0o700) != 0 {
      let number = errno
      // GLib stops where another program makes a part of the path at the same moment.
      attempts += 1
      guard number == EEXIST, attempts < 10 else {
        throw number == ENOTDIR ? .failed("a part of the path is no directory") : StorageError(errno: number)
      }
    }
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    guard let directory = Descriptor(owning: open(path, flags)), let status = directory.status else {
      throw StorageError(errno: errno)
    }
    if status.st_mode & 0o077 != 0 { fchmod(directory.number, 0o700) }
    BackupExclusion.mark(directory)
  }

  /// The same directory under a path that has no links in it; itself where it is not there.
  public var resolved: StorageDirectory {
    guard let end = realpath(path, nil) else { return self }
    defer { free(end) }
    return StorageDirectory(String(cString: end))
  }

  /// Makes an empty file that is the user's alone and kept out of backups. A file that has its name already stays as it is.
  ///
  /// The file is closed before it gets its name: closing a file lets go of all locks that this process has on it.
  ///
  /// - Throws: ``StorageError``.
  public func makeFile(_ name: String) throws(StorageError) {
    let temporary = path(of: ".\(UniqueID.make())")
    defer { unlink(temporary) }
    try makeMarked(temporary)
    if chappie_rename_new(temporary, path(of: name)) == 0 || errno == EEXIST { return }
    // Not every file system can do that.
    guard link(temporary, path(of: name)) == 0 || errno == EEXIST else { throw StorageError(errno: errno) }
  }

  private func makeMarked(_ path: String) throws(StorageError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(owning: open(path, flags, 0o600)) else { throw StorageError(errno: errno) }
    BackupExclusion.mark(file)
  }

  /// The file of this name, without opening it; nil where there is none.
  ///
  /// - Throws: ``StorageError``: ``StorageError/notRegular``, ``StorageError/linked``, ``StorageError/foreign`` for what
  ///   is no regular file of the user's with this one name.
  public func ownFile(_ name: String) throws(StorageError) -> OwnFile? {
    var status = stat()
    guard lstat(path(of: name), &status) == 0 else {
      let error = StorageError(errno: errno)
      if error == .missing { return nil }
      throw error
    }
    try Descriptor.checkIsOwn(status)
    return OwnFile(identity: FileIdentity(status), size: Int64(status.st_size))
  }

  /// Whether something has this name, were it a link to nowhere.
  ///
  /// - Throws: ``StorageError`` where that cannot be told.
  public func contains(_ name: String) throws(StorageError) -> Bool {
    var status = stat()
    if lstat(path(of: name), &status) == 0 { return true }
    let error = StorageError(errno: errno)
    guard error == .missing else { throw error }
    return false
  }

  /// Gives a file another name; one that has it already is replaced.
  ///
  /// - Throws: ``StorageError``.
  public func rename(_ name: String, to newName: String) throws(StorageError) {
    guard renameat(AT_FDCWD, path(of: name), AT_FDCWD, path(of: newName)) == 0 else { throw StorageError(errno: errno) }
  }

  /// Removes a file. That there is none is no failure.
  ///
  /// - Throws: ``StorageError``.
  public func remove(_ name: String) throws(StorageError) {
    guard unlink(path(of: name)) == 0 || errno == ENOENT else { throw StorageError(errno: errno) }
  }

  /// Waits until the names of the files are on the disk.
  ///
  /// - Throws: ``StorageError``.
  public func synchronize() throws(StorageError) {
    guard let directory = Descriptor(owning: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
      throw StorageError(errno: errno)
    }
    // Some file systems cannot, and do not need to.
    guard fsync(directory.number) == 0 || errno == EINVAL else { throw StorageError(errno: errno) }
  }
}

/// A regular file of the user's.
public struct OwnFile: Hashable, Sendable {
  public let identity: FileIdentity
  /// In bytes.
  public let size: Int64
}
