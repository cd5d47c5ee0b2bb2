import Glibc

extension Files {
  /// Removes a file, a symbolic link or a directory with everything in it. Links are removed and never followed.
  ///
  /// - Returns: whether it existed.
  /// - Throws: ``FileError`` for the first entry that stays; the others of its directory are removed.
  public static func removeTree(_ path: String) throws(FileError) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      let error = FileError(errno: errno)
      if error == .missing { return false }
      throw error
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      guard unlink(path) == 0 else { throw FileError(errno: errno) }
      return true
    }
    var failure: FileError?
    for name in try names(in: path) {
      do throws(FileError) {
        _ = try removeTree(path + "/" + name)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    guard rmdir(path) == 0 else { throw FileError(errno: errno) }
    return true
  }
}
