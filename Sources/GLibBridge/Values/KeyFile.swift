import CGLib

/// A key file: groups of `Key=value`, as desktop files and this project's configuration are.
public final class KeyFile: @unchecked Sendable {
  /// Nothing changes it, so that any thread may read it.
  private let file: OpaquePointer?

  /// Reads the content of a key file.
  ///
  /// - Throws: ``GLibError`` when it is none.
  public init(_ content: [UInt8]) throws {
    file = g_key_file_new()
    let text = content.map { CChar(bitPattern: $0) } + [0]
    _ = try checked { g_key_file_load_from_data(file, text, gsize(content.count), G_KEY_FILE_NONE, &$0) }
  }

  deinit {
    g_key_file_unref(file)
  }

  /// The names of the groups, in alphabetical order.
  public var groupNames: [String] { takeStrings(g_key_file_get_groups(file, nil)).sorted() }

  /// The keys of a group, in alphabetical order; none where there is no such group.
  public func keys(of group: String) -> [String] { takeStrings(g_key_file_get_keys(file, group, nil, nil)).sorted() }

  public func has(_ group: String, _ key: String) -> Bool { g_key_file_has_key(file, group, key, nil) != 0 }

  /// The value; nil where there is no such key, and where it has an escape that does not exist, or is no UTF-8.
  public func string(_ group: String, _ key: String) -> String? {
    // With an error there may be text as well: what GLib could make of it.
    var error: UnsafeMutablePointer<GError>?
    let text = g_key_file_get_string(file, group, key, &error)
    defer {
      g_free(text)
      g_clear_error(&error)
    }
    return error == nil ? text.map { String(cString: $0) } : nil
  }

  /// The value as it is written, with its backslashes; nil where there is no such key, and where it is no UTF-8.
  public func rawString(_ group: String, _ key: String) -> String? {
    let text = g_key_file_get_value(file, group, key, nil)
    defer { g_free(text) }
    return text.flatMap { String(validatingCString: $0) }
  }

  /// The parts of a value that `;` divides; nil as for ``string(_:_:)``.
  public func strings(_ group: String, _ key: String) -> [String]? {
    var error: UnsafeMutablePointer<GError>?
    let list = takeStrings(g_key_file_get_string_list(file, group, key, nil, &error))
    defer { g_clear_error(&error) }
    return error == nil ? list : nil
  }
}
