import CGLib

/// A key file: groups of `Key=value`, as desktop files and this project's configuration are.
public struct KeyFile: Sendable {
  private struct Value {
    /// Nil where it has an escape that does not exist, or is no UTF-8.
    let string: String?
    /// Nil where it is no UTF-8.
    let raw: String?
  }

  private let groups: [String: [String: Value]]

  /// Reads a key file.
  ///
  /// - Throws: ``GLibError`` when the file cannot be read or is not a key file.
  public init(path: String) throws {
    try self.init { file, error in g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, &error) }
  }

  /// Reads the content of a key file.
  ///
  /// - Throws: ``GLibError`` when it is none.
  public init(_ content: [UInt8]) throws {
    try self.init { file, error in
      let text = content.map { CChar(bitPattern: $0) } + [0]
      return g_key_file_load_from_data(file, text, gsize(content.count), G_KEY_FILE_NONE, &error)
    }
  }

  private init(_ load: (OpaquePointer?, inout UnsafeMutablePointer<GError>?) -> gboolean) throws {
    let file = g_key_file_new()
    defer { g_key_file_unref(file) }
    _ = try checked { load(file, &$0) }
    var groups: [String: [String: Value]] = [:]
    for group in takeStrings(g_key_file_get_groups(file, nil)) {
      var values: [String: Value] = [:]
      for key in takeStrings(g_key_file_get_keys(file, group, nil, nil)) {
        let raw = g_key_file_get_value(file, group, key, nil)
        // With an error there may be text as well: what GLib could make of it.
        var error: UnsafeMutablePointer<GError>?
        let string = g_key_file_get_string(file, group, key, &error)
        defer {
          g_free(raw)
          g_free(string)
          g_clear_error(&error)
        }
        values[key] = Value(
          string: error == nil ? string.map { String(cString: $0) } : nil,
          raw: raw.flatMap { String(validatingCString: $0) })
      }
      groups[group] = values
    }
    self.groups = groups
  }

  public func has(_ group: String, _ key: String) -> Bool { groups[group]?[key] != nil }

  /// The value; nil where there is no such key, and where it cannot be read.
  public func string(_ group: String, _ key: String) -> String? {
    groups[group]?[key]?.string
  }

  /// The value as it is written, with its backslashes; nil where there is no such key, and where it is no UTF-8.
  public func rawString(_ group: String, _ key: String) -> String? {
    groups[group]?[key]?.raw
  }

  public var groupNames: [String] { groups.keys.sorted() }

  public func keys(of group: String) -> [String] { groups[group]?.keys.sorted() ?? [] }
}
