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

  /// - Throws: ``StorageError``.
  public func file(_ name: String, for access: StorageFile.Access) throws(StorageError) -> StorageFile {
    try StorageFile(path(of: name), for: access)
  }

  /// A file without what its name ends with, and its size in bytes.
  public typealias Listed = (name: String, size: Int64)

  /// The regular files whose names end with `suffix`, in any order. There are none when there is no such directory.
  ///
  /// - Throws: ``StorageError``.
  public func files(suffix: String) throws(StorageError) -> [Listed] {
    // The kernel is asked for one size after the other, which is most of what listing a full store takes.
    let halves = inHalves { half in
      Result { () throws(StorageError) in try files(suffix: suffix, in: half) }
    }
    return try halves[0].get() + halves[1].get()
  }

  /// Those of one half. A file's name tells which one it is in: so whatever comes and goes meanwhile, none is in both.
  private func files(suffix: String, in half: Half) throws(StorageError) -> [Listed] {
    guard let listing = opendir(path) else {
      let error = StorageError(errno: errno)
      if error == .missing { return [] }
      throw error
    }
    defer { closedir(listing) }
    var files: [Listed] = []
    let ending = Array(suffix.utf8)
    var status = stat()
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self)
      }
      let length = strlen(name) - ending.count
      guard length > 0, memcmp(name + length, ending, ending.count) == 0,
        g_str_hash(name) % 2 == (half == .first ? 0 : 1),
        fstatat(dirfd(listing), name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG
      else { continue }
      let bare = UnsafeBufferPointer(start: name, count: length)
      files.append((String(decoding: bare, as: UTF8.self), Int64(status.st_size)))
    }
    return files
  }

  /// Whether something has this name, were it a link to nowhere.
  public func contains(_ name: String) -> Bool {
    var status = stat()
    return lstat(path(of: name), &status) == 0
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
