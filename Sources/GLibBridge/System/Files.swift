import CGLib

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
}
