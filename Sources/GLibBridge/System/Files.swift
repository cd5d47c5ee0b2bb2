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

  /// Makes a file with all its content at once. One that is there already is left as it is.
  ///
  /// - Throws: ``GLibError`` when it cannot be written, or there is one.
  public static func create(_ bytes: [UInt8], at path: String) throws {
    let temporary = "\(path).\(UniqueID.make())"
    try write(bytes, to: temporary)
    defer { unlink(temporary) }
    guard link(temporary, path) != 0 else { return }
    let number = errno
    // Some file systems have no links.
    guard number != EEXIST, !exists(path), rename(temporary, path) == 0 else {
      throw GLibError(domain: "chappie-file", code: number, message: String(cString: strerror(number)))
    }
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
