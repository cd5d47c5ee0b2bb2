import CGLib
import Glibc

/// Small files.
public enum Files {
  public static func exists(_ path: String) -> Bool {
    g_file_test(path, G_FILE_TEST_EXISTS) != 0
  }

  /// The content of a small file.
  ///
  /// - Throws: ``GLibError`` when it cannot be read.
  public static func read(_ path: String) throws -> [UInt8] {
    var content: UnsafeMutablePointer<CChar>?
    var length: gsize = 0
    _ = try checked { g_file_get_contents(path, &content, &length, &$0) }
    defer { g_free(content) }
    let bytes = UnsafeRawBufferPointer(start: content, count: Int(length))
    return Array(bytes)
  }

  /// Replaces the content of a small file at once, so that nobody reads a half.
  ///
  /// - Throws: ``GLibError`` when it cannot be written.
  public static func write(_ bytes: [UInt8], to path: String) throws {
    _ = try checked { error in
      bytes.withUnsafeBytes { bytes in
        g_file_set_contents_full(
          path, bytes.bindMemory(to: CChar.self).baseAddress, gssize(bytes.count), G_FILE_SET_CONTENTS_CONSISTENT,
          0o600, &error)
      }
    }
  }

  /// Makes a file with all its content at once; only the user can read it.
  ///
  /// - Parameter replaces: whether it comes in place of a file that is there already, at the end of links where there
  ///   are any; otherwise that one is left as it is.
  /// - Throws: ``StorageError``: ``StorageError/exists`` when there is one that stays.
  public static func create(_ bytes: [UInt8], at path: String, replaces: Bool = false) throws(StorageError) {
    let path = replaces ? end(of: path) : path
    let temporary = "\(directory(of: path))/.\(UniqueID.make())"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    guard let file = Descriptor(owning: open(temporary, flags, 0o600)) else { throw StorageError(errno: errno) }
    defer { unlink(temporary) }
    if let error = writeAll(bytes, to: file.number) { throw StorageError(errno: error) }
    guard !replaces else {
      guard fsync(file.number) == 0, rename(temporary, path) == 0 else { throw StorageError(errno: errno) }
      return
    }
    guard link(temporary, path) != 0 else { return }
    let number = errno
    // Some file systems have no links.
    guard number != EEXIST, !exists(path), rename(temporary, path) == 0 else { throw StorageError(errno: number) }
  }

  /// Writes into a named pipe or a device, and waits for who takes it.
  ///
  /// - Throws: ``StorageError``.
  public static func write(_ bytes: [UInt8], into path: String) throws(StorageError) {
    guard let file = Descriptor(owning: open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)) else {
      throw StorageError(errno: errno)
    }
    if let error = writeAll(bytes, to: file.number) { throw StorageError(errno: error) }
  }

  /// Where `path` leads to; `path` itself where that is nowhere.
  private static func end(of path: String) -> String {
    guard let end = realpath(path, nil) else { return path }
    defer { free(end) }
    return String(cString: end)
  }

  private static func directory(of path: String) -> String {
    let directory = g_path_get_dirname(path)
    defer { g_free(directory) }
    return directory.map { String(cString: $0) } ?? "."
  }

  /// The whole path of `path`, from the working directory.
  public static func absolutePath(_ path: String) -> String {
    let whole = g_canonicalize_filename(path, nil)
    defer { g_free(whole) }
    return whole.map { String(cString: $0) } ?? path
  }

  /// Removes a file. That there is none is no failure.
  public static func remove(_ path: String) {
    unlink(path)
  }

  /// The content of a regular file of at most `limit` bytes.
  ///
  /// - Throws: ``FileError``.
  public static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    // Without O_NONBLOCK a named pipe would wait for its writer.
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    guard let file = Descriptor(owning: open(path, flags)) else { throw FileError(errno: errno) }
    return try file.content(limit: limit)
  }

  /// How many bytes a file has; 0 for what is no file.
  public static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The names in a directory, in alphabetical order of their bytes. None when there is no such directory.
  ///
  /// - Throws: ``GLibError`` when it cannot be read.
  public static func names(in directory: String) throws -> [String] {
    guard exists(directory) else { return [] }
    let listing = try checked { g_dir_open(directory, 0, &$0) }
    defer { g_dir_close(listing) }
    var names: [String] = []
    while let name = g_dir_read_name(listing) { names.append(String(cString: name)) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
