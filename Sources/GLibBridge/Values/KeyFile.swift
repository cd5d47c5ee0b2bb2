// SPDX-License-Identifier: Apache-2.0
import CGLib

/// A GKeyFile: groups of `Key=value`, the format of desktop files and of this project's configuration.
public final class KeyFile: @unchecked Sendable {
  /// Immutable, so any thread may read it.
  private let file: OpaquePointer?

  /// Parses the content of a key file.
  ///
  /// - Throws: ``GLibError`` when the content is not a key file.
  public init(_ content: [UInt8]) throws {
    file = g_key_file_new()
    let text = content.map { CChar(bitPattern: $0) } + [0]
    try checked { g_key_file_load_from_data(file, text, gsize(content.count), G_KEY_FILE_NONE, &$0) }
  }

  deinit {
    g_key_file_unref(file)
  }

  /// The names of the groups, sorted.
  public var groupNames: [String] { takeStrings(g_key_file_get_groups(file, nil)).sorted() }

  /// The keys of a group, sorted; empty when there is no such group.
  public func keys(of group: String) -> [String] { takeStrings(g_key_file_get_keys(file, group, nil, nil)).sorted() }

  /// The value of a key; nil when the key is missing, or the value has an invalid escape or is not UTF-8.
  public func string(_ group: String, _ key: String) -> String? {
    // GLib may return partial text together with an error.
    try? checked { takeString(g_key_file_get_string(file, group, key, &$0)) }
  }

  /// The value in the user's language, or else the value of the plain key; nil as for ``string(_:_:)``.
  public func localized(_ group: String, _ key: String) -> String? {
    try? checked { takeString(g_key_file_get_locale_string(file, group, key, nil, &$0)) }
  }

  /// The value without unescaping; nil when the key is missing or the value is not UTF-8.
  public func rawString(_ group: String, _ key: String) -> String? {
    let text = g_key_file_get_value(file, group, key, nil)
    defer { g_free(text) }
    return text.flatMap { String(validatingCString: $0) }
  }

  /// The elements of a value, which `;` separates; nil as for ``string(_:_:)``.
  public func strings(_ group: String, _ key: String) -> [String]? {
    try? checked { takeStrings(g_key_file_get_string_list(file, group, key, nil, &$0)) }
  }
}
