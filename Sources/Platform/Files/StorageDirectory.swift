import CPlatform
import Glibc

/// A directory that a store keeps its files in.
public struct StorageDirectory: Hashable, Sendable {
  public let path: String

  /// Nothing is made or read yet.
  public init(_ path: String) {
    self.path = path
  }

  public func path(of name: String) -> String { path + "/" + name }

  /// Makes the directory where it is missing, with its parents; only the user can enter it.
  ///
  /// - Throws: ``FileError``.
  public func make() throws(FileError) {
    try Files.makeDirectory(path)
    let directory = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
    if try directory.status().st_mode & 0o077 != 0 { fchmod(directory.number, 0o700) }
    BackupExclusion.mark(directory)
  }

  /// The same directory under a path that has no links in it; itself where it is not there.
  public var resolved: StorageDirectory {
    Files.realPath(of: path).map { StorageDirectory($0) } ?? self
  }

  /// Makes an empty file that is the user's alone and kept out of backups. A file that has its name already stays as it is.
  ///
  /// The file is closed before it gets its name: closing a file lets go of all locks that this process has on it.
  ///
  /// - Throws: ``FileError``.
  public func makeFile(_ name: String) throws(FileError) {
    let temporary = Files.temporaryPath(in: path)
    defer { unlink(temporary) }
    try BackupExclusion.mark(.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600))
    if chappie_rename_new(temporary, path(of: name)) == 0 || errno == EEXIST { return }
    // Not every file system can do that.
    guard link(temporary, path(of: name)) == 0 || errno == EEXIST else { throw FileError(errno: errno) }
  }

  /// The file of this name, without opening it; nil where there is none.
  ///
  /// - Throws: ``FileError``: as ``Descriptor/checkIsOwn()``, for what is no regular file of the user's with this one
  ///   name.
  public func ownFile(_ name: String) throws(FileError) -> OwnFile? {
    var status = stat()
    guard lstat(path(of: name), &status) == 0 else {
      let error = FileError(errno: errno)
      if error == .missing { return nil }
      throw error
    }
    try Descriptor.checkIsOwn(status)
    return OwnFile(identity: FileIdentity(status), size: Int64(status.st_size))
  }

  /// Whether something has this name, were it a link to nowhere.
  ///
  /// - Throws: ``FileError`` where that cannot be told.
  public func contains(_ name: String) throws(FileError) -> Bool {
    var status = stat()
    if lstat(path(of: name), &status) == 0 { return true }
    let error = FileError(errno: errno)
    guard error == .missing else { throw error }
    return false
  }

  /// Gives a file another name; one that has it already is replaced.
  ///
  /// - Throws: ``FileError``.
  public func rename(_ name: String, to newName: String) throws(FileError) {
    guard renameat(AT_FDCWD, path(of: name), AT_FDCWD, path(of: newName)) == 0 else { throw FileError(errno: errno) }
  }

  /// Removes a file. That there is none is no failure.
  ///
  /// - Throws: ``FileError``.
  public func remove(_ name: String) throws(FileError) {
    guard unlink(path(of: name)) == 0 || errno == ENOENT else { throw FileError(errno: errno) }
  }

  /// Waits until the names of the files are on the disk.
  ///
  /// - Throws: ``FileError``.
  public func synchronize() throws(FileError) {
    let directory = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
    // Some file systems cannot, and do not need to.
    guard fsync(directory.number) == 0 || errno == EINVAL else { throw FileError(errno: errno) }
  }
}

/// A regular file of the user's.
public struct OwnFile: Hashable, Sendable {
  public let identity: FileIdentity
  /// In bytes.
  public let size: Int64
}
