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
    guard g_mkdir_with_parents(path, 0o700) == 0 else {
      throw errno == ENOTDIR ? .failed("a part of the path is no directory") : StorageError(errno: errno)
    }
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    guard let directory = Descriptor(owning: open(path, flags)), let status = directory.status else {
      throw StorageError(errno: errno)
    }
    if status.st_mode & 0o077 != 0 { fchmod(directory.number, 0o700) }
    BackupExclusion.mark(directory)
  }

  /// - Throws: ``StorageError``.
  public func file(_ name: String, for access: StorageFile.Access) throws(StorageError) -> StorageFile {
    try StorageFile(path(of: name), for: access)
  }

  /// Calls `body` with each regular file whose name ends with `suffix`: with its name without that, and its size in
  /// bytes. There are none when there is no such directory.
  ///
  /// - Throws: ``StorageError``.
  public func forEachFile(suffix: String, _ body: (_ name: String, _ size: Int64) -> Void) throws(StorageError) {
    guard let listing = opendir(path) else {
      let error = StorageError(errno: errno)
      if error == .missing { return }
      throw error
    }
    defer { closedir(listing) }
    let ending = Array(suffix.utf8)
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: UInt8.self, capacity: 256) { UnsafeBufferPointer(start: $0, count: strlen($0)) }
      }
      guard name.count > ending.count, name.suffix(ending.count).elementsEqual(ending) else { continue }
      var status = stat()
      guard fstatat(dirfd(listing), &entry.pointee.d_name.0, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { continue }
      body(String(decoding: name.dropLast(ending.count), as: UTF8.self), Int64(status.st_size))
    }
  }

  /// Whether there is a file of this name.
  public func contains(_ name: String) -> Bool {
    Files.exists(path(of: name))
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
