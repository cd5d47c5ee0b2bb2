import Glibc

/// Small files, by their paths.
public enum Files {
  /// Whether the path leads to something, links followed.
  public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// How many bytes a file has; 0 for what is no file.
  public static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The content of a regular file of at most `limit` bytes.
  ///
  /// - Throws: ``FileError``.
  public static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try Descriptor.open(path, Descriptor.reading).content(limit: limit)
  }

  /// Makes a file with all its content at once, or replaces one; only the user can read it. What has the path is
  /// replaced itself, were it a link.
  ///
  /// - Throws: ``FileError``.
  public static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    try withNewFile(bytes, beside: path) { file, temporary throws(FileError) in
      guard fsync(file.number) == 0, rename(temporary, path) == 0 else { throw FileError(errno: errno) }
    }
  }

  /// Makes a file with all its content at once; only the user can read it.
  ///
  /// - Parameter replaces: whether it comes in place of a file that is there already, at the end of links where there
  ///   are any; otherwise that one is left as it is.
  /// - Throws: ``FileError``: ``FileError/exists`` when there is one that stays.
  public static func create(_ bytes: [UInt8], at path: String, replaces: Bool = false) throws(FileError) {
    guard !replaces else { return try write(bytes, to: realPath(of: path) ?? path) }
    try withNewFile(bytes, beside: path) { _, temporary throws(FileError) in
      guard link(temporary, path) != 0 else { return }
      let number = errno
      // Some file systems have no links.
      guard number != EEXIST, !exists(path), rename(temporary, path) == 0 else { throw FileError(errno: number) }
    }
  }

  /// Writes into a named pipe or a device, and waits for its reader.
  ///
  /// - Throws: ``FileError``.
  public static func write(_ bytes: [UInt8], into path: String) throws(FileError) {
    try Descriptor.open(path, O_WRONLY | O_NOCTTY).write(bytes)
  }

  /// Removes a file. That there is none is no failure.
  public static func remove(_ path: String) {
    unlink(path)
  }

  // MARK: Directories

  /// Makes a directory that only the user can enter, with its parents. One that is there already stays as it is.
  ///
  /// - Throws: ``FileError``.
  public static func makeDirectory(_ path: String) throws(FileError) {
    guard mkdir(path, 0o700) != 0 else { return }
    switch errno {
    case ENOENT:
      let parent = directory(of: path)
      guard parent != path else { throw .missing }
      try makeDirectory(parent)
      // Another program may make it at the same moment.
      guard mkdir(path, 0o700) == 0 || FileKind(path) == .directory else { throw FileError(errno: errno) }
    case ENOTDIR: throw .failed("a part of the path is no directory")
    case let number: guard FileKind(path) == .directory else { throw FileError(errno: number) }
    }
  }

  /// The names in a directory, in alphabetical order of their bytes. None when there is no such directory.
  ///
  /// - Throws: ``FileError`` when it cannot be read.
  public static func names(in directory: String) throws(FileError) -> [String] {
    guard exists(directory) else { return [] }
    guard let listing = opendir(directory) else {
      throw errno == ENOTDIR ? .failed("it is no directory") : FileError(errno: errno)
    }
    defer { closedir(listing) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(listing), let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { break }
      let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
      names.append(String(cString: name))
    }
    guard errno == 0 else { throw FileError(errno: errno) }
    return names.filter { $0 != "." && $0 != ".." }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  // MARK: Paths

  /// Where `path` leads to, without links; nil where that is nowhere.
  static func realPath(of path: String) -> String? {
    guard let end = realpath(path, nil) else { return nil }
    defer { free(end) }
    return String(cString: end)
  }

  /// A path in `directory` for a file on its way to its name.
  static func temporaryPath(in directory: String) -> String {
    "\(directory)/.\(UInt64.random(in: .min ... .max))"
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Writes a file that has no other name yet, and removes that name when `body` has ended.
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
