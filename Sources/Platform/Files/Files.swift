// SPDX-License-Identifier: Apache-2.0
import CPlatform
import Glibc

/// Operations on small files, by path.
public enum Files {
  /// Whether the file exists. Symbolic links are followed.
  public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The size of a file in bytes; 0 when it does not exist.
  public static func size(_ path: String) -> Int { status(path).map { Int($0.st_size) } ?? 0 }

  /// Reads a regular file.
  ///
  /// - Parameter limit: the longest content, in bytes.
  /// - Throws: ``FileError``; ``FileError/tooLarge(limit:)`` above the limit.
  public static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try Descriptor.open(path, Descriptor.reading).content(limit: limit)
  }

  /// Reads a regular file that belongs to the user, has one hard link, and that no other user can write. A symbolic link
  /// is refused.
  ///
  /// - Parameter limit: the longest content, in bytes.
  /// - Throws: ``FileError``, as ``read(_:limit:)``; for another file the reason why it is refused.
  public static func readOwn(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    let file = try Descriptor.open(path, Descriptor.reading | O_NOFOLLOW)
    try file.checkIsOwn()
    guard try file.status().st_mode & 0o022 == 0 else { throw .shared }
    return try file.content(limit: limit)
  }

  /// Creates or atomically replaces a file; only the user can read it. A symbolic link at `path` is replaced itself,
  /// not its target.
  ///
  /// - Throws: ``FileError``.
  public static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    try withNewFile(bytes, beside: path) { file, temporary throws(FileError) in
      guard fsync(file.number) == 0, rename(temporary, path) == 0 else { throw FileError(errno: errno) }
    }
  }

  /// Creates a file with all of its content at once; only the user can read it.
  ///
  /// - Parameter replaces: whether an existing file is replaced. If `path` is a symbolic link, its target is replaced.
  /// - Throws: ``FileError``; ``FileError/exists`` when the file exists and `replaces` is false.
  public static func create(_ bytes: [UInt8], at path: String, replaces: Bool = false) throws(FileError) {
    guard !replaces else { return try write(bytes, to: realPath(of: path) ?? path) }
    try withNewFile(bytes, beside: path) { _, temporary throws(FileError) in
      guard link(temporary, path) != 0 else { return }
      let number = errno
      // Some file systems do not support hard links.
      guard number != EEXIST, !exists(path), rename(temporary, path) == 0 else { throw FileError(errno: number) }
    }
  }

  /// Writes to a named pipe or a device, and blocks until it accepts the data. Meanwhile `SIGINT` and `SIGTERM` end the
  /// process at once: its main loop, on whose thread this is called, could not handle them.
  ///
  /// - Throws: ``FileError``.
  public static func write(_ bytes: [UInt8], into path: String) throws(FileError) {
    let former = [SIGINT, SIGTERM].map { ($0, signal($0, SIG_DFL)) }
    defer { for (number, handler) in former { signal(number, handler) } }
    try Descriptor.open(path, O_WRONLY | O_NOCTTY).write(bytes)
  }

  /// Removes a file. A missing file is not an error.
  public static func remove(_ path: String) {
    unlink(path)
  }

  // MARK: Directories

  /// Creates a directory and its parents, which only the user can enter. An existing directory is left unchanged.
  ///
  /// - Throws: ``FileError``.
  public static func makeDirectory(_ path: String) throws(FileError) {
    guard mkdir(path, 0o700) != 0 else { return }
    switch errno {
    case ENOENT:
      let parent = directory(of: path)
      guard parent != path else { throw .missing }
      try makeDirectory(parent)
      // Another process may create it at the same moment.
      guard mkdir(path, 0o700) == 0 || FileKind(path) == .directory else { throw FileError(errno: errno) }
    case ENOTDIR: throw .failed("a part of the path is not a directory")
    case let number: guard FileKind(path) == .directory else { throw FileError(errno: number) }
    }
  }

  /// The names of a directory's entries, sorted by their bytes; empty when the directory does not exist.
  ///
  /// - Throws: ``FileError`` when the directory cannot be read.
  public static func names(in directory: String) throws(FileError) -> [String] {
    guard exists(directory) else { return [] }
    let names = try rawNames(in: Array(directory.utf8CString)).map { String(decoding: $0, as: UTF8.self) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  // MARK: Paths

  /// The real path, without symbolic links; nil when the file does not exist.
  package static func realPath(of path: String) -> String? {
    guard let end = realpath(path, nil) else { return nil }
    defer { free(end) }
    return String(cString: end)
  }

  /// The target of a symbolic link, as it stands there. Nil, with the reason in `errno`, when it cannot be read.
  static func target(of link: String) -> [UInt8]? {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &path, path.count)
    return count < 0 ? nil : Array(path[..<count])
  }

  /// The status of a file; nil, with the reason in `errno`, when it has none.
  static func status(_ path: String, followsLinks: Bool = true) -> stat? {
    var status = stat()
    return (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 ? status : nil
  }

  /// A path in `directory` for a file that is renamed or linked to its final name.
  static func temporaryPath(in directory: String) -> String {
    "\(directory)/.\(UInt64.random(in: .min ... .max))"
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Writes a new file under a temporary name, and removes that name after `body`, which may link or rename the file.
  private static func withNewFile(
    _ bytes: [UInt8], beside path: String, _ body: (Descriptor, String) throws(FileError) -> Void
  ) throws(FileError) {
    let temporary = temporaryPath(in: directory(of: path))
    let file = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    defer { unlink(temporary) }
    try file.write(bytes)
    try body(file, temporary)
  }
}

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
    guard let listing = opendir(directory) else {
      throw errno == ENOTDIR ? .failed("it is not a directory") : FileError(errno: errno)
    }
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
