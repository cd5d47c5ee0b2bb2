import Glibc

extension Files {
  /// Removes a file, a symbolic link or a directory with everything in it. Links are removed and never followed.
  ///
  /// - Returns: whether it existed.
  /// - Throws: ``FileError`` for the first entry that stays; the others of its directory are removed.
  public static func removeTree(_ path: String) throws(FileError) -> Bool {
    try removeTree(Array(path.utf8))
  }

  /// - Parameter path: without a final zero. A name need not be UTF-8.
  private static func removeTree(_ path: [UInt8]) throws(FileError) -> Bool {
    let text = path.map(CChar.init(bitPattern:)) + [0]
    var status = stat()
    guard lstat(text, &status) == 0 else {
      let error = FileError(errno: errno)
      if error == .missing { return false }
      throw error
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      guard unlink(text) == 0 else { throw FileError(errno: errno) }
      return true
    }
    var failure: FileError?
    for name in try rawNames(in: text) {
      do throws(FileError) {
        _ = try removeTree(path + [UInt8(ascii: "/")] + name)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    guard rmdir(text) == 0 else { throw FileError(errno: errno) }
    return true
  }

  private static func rawNames(in directory: [CChar]) throws(FileError) -> [[UInt8]] {
    guard let listing = opendir(directory) else { throw FileError(errno: errno) }
    defer { closedir(listing) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = readdir(listing), let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { break }
      let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: UInt8.self)
      names.append(
        Array(
          UnsafeBufferPointer(start: name, count: strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self)))))
    }
    guard errno == 0 else { throw FileError(errno: errno) }
    return names.filter { $0 != Array(".".utf8) && $0 != Array("..".utf8) }
  }
}
