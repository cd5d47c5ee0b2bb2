// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Validates the body of a message before GDBus parses it. GDBus allocates some hundred bytes for each value, and
/// closes the connection at the first invalid message.
///
/// The time is proportional to the length of the body.
struct BodyValidation {
  enum Fault: Error, Equatable {
    /// The body has more values than the limit.
    case tooManyValues
    case malformed
  }

  /// The specification's limit: 32 arrays and 32 structures.
  private static let depthLimit = 64

  private var reader: WireReader
  private var values: Int

  /// Validates a body.
  ///
  /// - Returns: the number of values.
  /// - Throws: ``Fault`` when `body` does not match `signature` or has more than `limit` values.
  @discardableResult
  static func check(
    _ body: ArraySlice<UInt8>, _ order: ByteOrder, signature: ArraySlice<UInt8>?, valueLimit limit: Int
  ) throws(Fault) -> Int {
    var check = BodyValidation(reader: WireReader(body, order), values: limit)
    var rest = signature ?? []
    if let signature { try check.text(signature, isSignature) }
    while !rest.isEmpty { try check.value(&rest, 0) }
    guard check.reader.rest == 0 else { throw .malformed }
    return limit - check.values
  }

  /// Reads one value of the first type in `types`, and removes that type.
  private mutating func value(_ types: inout ArraySlice<UInt8>, _ depth: Int) throws(Fault) {
    guard depth < Self.depthLimit, let type = types.popFirst() else { throw .malformed }
    values -= 1
    guard values >= 0 else { throw .tooManyValues }
    if let size = Self.size(type) {
      guard reader.align(size) else { throw .malformed }
      if type == UInt8(ascii: "b") { try boolean() } else { try expect(reader.skip(size)) }
      return
    }
    switch type {
    case UInt8(ascii: "s"): try text(reader.string()) { _ in true }
    case UInt8(ascii: "o"): try text(reader.string(), Self.isObjectPath)
    case UInt8(ascii: "g"): try text(reader.signature(), Self.isSignature)
    case UInt8(ascii: "v"): try variant(depth)
    case UInt8(ascii: "a"): try array(&types, depth)
    case UInt8(ascii: "("), UInt8(ascii: "{"): try structure(&types, depth)
    default: throw .malformed
    }
  }

  private mutating func boolean() throws(Fault) {
    guard let value = reader.uint32(), value <= 1 else { throw .malformed }
  }

  /// Validates a text: UTF-8 without a zero byte.
  private func text(
    _ text: ArraySlice<UInt8>?, _ isValid: (UnsafePointer<CChar>?) -> Bool
  ) throws(Fault) {
    guard let text else { throw .malformed }
    let holds = text.withUnsafeBytes { bytes in
      let characters = bytes.bindMemory(to: CChar.self).baseAddress
      return g_utf8_validate_len(characters, gsize(bytes.count), nil) != 0 && isValid(characters)
    }
    try expect(holds)
  }

  private mutating func variant(_ depth: Int) throws(Fault) {
    guard var types = reader.signature() else { throw .malformed }
    try text(types, Self.isSignature)
    try value(&types, depth + 1)
    try expect(types.isEmpty)
  }

  private mutating func array(_ types: inout ArraySlice<UInt8>, _ depth: Int) throws(Fault) {
    guard let length = reader.uint32(), length <= 1 << 26, let element = types.first else { throw .malformed }
    try expect(reader.align(Self.alignment(element)))
    guard reader.rest >= Int(length) else { throw .malformed }
    let end = reader.position + Int(length)
    let after = Self.afterType(types)
    // GDBus does not allocate the elements of arrays of numbers.
    if let size = Self.size(element), element != UInt8(ascii: "b") {
      try expect(Int(length) % size == 0 && reader.skip(Int(length)))
    } else {
      while reader.position < end {
        var rest = types
        try value(&rest, depth + 1)
      }
      try expect(reader.position == end)
    }
    types = after
  }

  private mutating func structure(_ types: inout ArraySlice<UInt8>, _ depth: Int) throws(Fault) {
    try expect(reader.align(8))
    while let next = types.first, next != UInt8(ascii: ")"), next != UInt8(ascii: "}") { try value(&types, depth + 1) }
    try expect(types.popFirst() != nil)
  }

  private func expect(_ holds: Bool) throws(Fault) {
    guard holds else { throw .malformed }
  }

  // MARK: Types

  /// The size of a number; nil for other types.
  private static func size(_ type: UInt8) -> Int? {
    switch type {
    case UInt8(ascii: "y"): 1
    case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
    case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"): 4
    case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"): 8
    default: nil
    }
  }

  private static func alignment(_ type: UInt8) -> Int {
    switch type {
    case UInt8(ascii: "("), UInt8(ascii: "{"): 8
    case UInt8(ascii: "v"), UInt8(ascii: "g"): 1
    default: size(type) ?? 4
    }
  }

  /// The types after the first complete type of `types`, a valid signature.
  private static func afterType(_ types: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = types
    var open = 0
    while let type = rest.popFirst() {
      switch type {
      case UInt8(ascii: "a"): continue
      case UInt8(ascii: "("), UInt8(ascii: "{"): open += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"): open -= 1
      default: break
      }
      if open == 0 { break }
    }
    return rest
  }

  /// GLib takes the empty structure of GVariant, which D-Bus does not have, and GDBus refuses its messages.
  private static func isSignature(_ text: UnsafePointer<CChar>?) -> Bool {
    text.map { g_variant_is_signature($0) != 0 && g_strstr_len($0, -1, "()") == nil } ?? true
  }

  private static func isObjectPath(_ text: UnsafePointer<CChar>?) -> Bool {
    text.map { g_variant_is_object_path($0) != 0 } ?? false
  }
}
