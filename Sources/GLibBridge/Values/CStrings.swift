// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc

/// Calls `body` with `strings` as an array of C strings, followed by a null pointer.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) throws -> Result
) rethrows -> Result {
  let copies = strings.map { UnsafePointer<CChar>(g_strdup($0)) }
  defer { copies.forEach { g_free(UnsafeMutableRawPointer(mutating: $0)) } }
  var pointers = copies + [nil]
  return try pointers.withUnsafeMutableBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("an array lost its memory") }
    return try body(base)
  }
}

/// The elements of a null-terminated array; none for nil.
func elements<Element>(_ list: UnsafePointer<Element?>?) -> [Element] {
  var elements: [Element] = []
  var next = list
  while let element = next?.pointee {
    elements.append(element)
    next = next?.advanced(by: 1)
  }
  return elements
}

/// Copies the strings of a null-terminated array, and frees the array.
func takeStrings(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> [String] {
  defer { g_strfreev(list) }
  return elements(list).map { String(cString: $0) }
}

/// Copies a string, and frees it; nil for nil.
package func takeString(_ string: UnsafeMutablePointer<CChar>?) -> String? {
  defer { g_free(string) }
  return string.map { String(cString: $0) }
}

extension [String: String] {
  /// Copies a `GHashTable` of strings; empty for nil.
  package init(copying table: OpaquePointer?) {
    self = [:]
    guard let table else { return }
    var iterator = GHashTableIter()
    g_hash_table_iter_init(&iterator, table)
    var key: gpointer?
    var value: gpointer?
    while g_hash_table_iter_next(&iterator, &key, &value) != 0 {
      guard let key, let value else { continue }
      self[String(cString: key.assumingMemoryBound(to: CChar.self))] =
        String(cString: value.assumingMemoryBound(to: CChar.self))
    }
  }
}

extension String {
  /// This text with each U+0000, which would end a C string, replaced by U+FFFD.
  var withoutZeros: String {
    hasZeros ? String(map { $0 == "\0" ? "\u{FFFD}" : $0 }) : self
  }

  private var hasZeros: Bool {
    var text = self
    return text.withUTF8 { bytes in bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false }
  }
}

extension [UInt8] {
  /// Copies the bytes of a span, so that they outlive it.
  public init(copying bytes: borrowing Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { Array($0) }
  }

  /// Appends the bytes of a span.
  public mutating func append(copying bytes: borrowing Span<UInt8>) {
    bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
  }
}
