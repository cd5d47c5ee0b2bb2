// SPDX-License-Identifier: Apache-2.0
import CGLib

/// A Swift type that corresponds to one D-Bus type.
public protocol VariantConvertible {
  /// The D-Bus type string, such as `s`.
  static var variantType: String { get }

  var variant: Variant { get }

  /// - Throws: ``VariantError`` when `variant` has another type.
  init(variant: Variant) throws(VariantError)
}

/// A value of the wrong D-Bus type.
public struct VariantError: Error, Equatable, CustomStringConvertible {
  /// The key or argument that has the value, if any.
  public var key: String?
  public let expected: String
  public let found: String

  public init(key: String? = nil, expected: String, found: String) {
    self.key = key
    self.expected = expected
    self.found = found
  }

  public var description: String {
    let subject = key.map { "'\($0)'" } ?? "the value"
    return "\(subject) must have type '\(expected)', not '\(found)'"
  }
}

extension Variant {
  func expect(_ type: String) throws(VariantError) {
    guard isOfType(type) else { throw VariantError(expected: type, found: self.type) }
  }

  /// Converts this value to a Swift type.
  ///
  /// - Throws: ``VariantError`` when it has another D-Bus type.
  public func value<Value: VariantConvertible>(as type: Value.Type = Value.self) throws(VariantError) -> Value {
    try Value(variant: self)
  }

  /// Converts the member of a tuple at `index`, counted from 0.
  ///
  /// - Parameter name: the name of the member in the error.
  /// - Throws: ``VariantError`` when the member is missing or has another type.
  public func member<Value: VariantConvertible>(
    _ index: Int, _ name: String, as type: Value.Type = Value.self
  ) throws(VariantError) -> Value {
    guard g_variant_classify(pointer) == G_VARIANT_CLASS_TUPLE, index < Int(g_variant_n_children(pointer)) else {
      throw VariantError(key: name, expected: Value.variantType, found: "nothing")
    }
    do throws(VariantError) {
      return try Value(variant: Variant(taking: g_variant_get_child_value(pointer, gsize(index))))
    } catch {
      throw VariantError(key: error.key ?? name, expected: error.expected, found: error.found)
    }
  }
}

extension Variant: VariantConvertible {
  public static var variantType: String { "v" }
  public var variant: Variant { boxed }
  public init(variant: Variant) { self = variant.unboxed }
}

extension String: VariantConvertible {
  public static var variantType: String { "s" }

  /// D-Bus strings cannot contain U+0000, which becomes U+FFFD.
  public var variant: Variant { Variant(taking: g_variant_new_string(withoutZeros)) }

  public init(variant: Variant) throws(VariantError) {
    try variant.expect("s")
    self = String(cString: g_variant_get_string(variant.pointer, nil))
  }
}

extension Variant {
  /// Converts a substring with a single copy. U+0000, which D-Bus strings cannot contain, becomes U+FFFD.
  public init(_ text: Substring) {
    let pointer = text.utf8.withContiguousStorageIfAvailable { bytes -> OpaquePointer? in
      guard let start = bytes.baseAddress, memchr(start, 0, bytes.count) == nil else { return nil }
      let copy = start.withMemoryRebound(to: gchar.self, capacity: bytes.count) { g_strndup($0, gsize(bytes.count)) }
      return g_variant_new_take_string(copy)
    }
    self = pointer.flatMap { $0 }.map { Variant(taking: $0) } ?? String(text).variant
  }
}

/// An object path on the bus.
public struct ObjectPath: Hashable, Sendable, CustomStringConvertible, VariantConvertible {
  public let string: String

  /// Nil when `string` is not a valid object path.
  public init?(_ string: String) {
    guard !string.utf8.contains(0), g_variant_is_object_path(string) != 0 else { return nil }
    self.string = string
  }

  /// The path of a child. `element` may be any text; characters that D-Bus does not allow are escaped as `_xx`.
  public func appending(_ element: String) -> ObjectPath {
    ObjectPath(unchecked: (string == "/" ? "" : string) + "/" + Self.escape(element))
  }

  private init(unchecked string: String) {
    self.string = string
  }

  /// Escapes text as sd_bus_path_encode does: letters and digits stay unchanged; a leading digit and all other bytes
  /// become `_xx`.
  public static func escape(_ text: String) -> String {
    guard !text.isEmpty else { return "_" }
    var escaped = ""
    for (index, byte) in text.utf8.enumerated() {
      let isLetter = (65...90).contains(byte) || (97...122).contains(byte)
      let isDigit = (48...57).contains(byte)
      if isLetter || (isDigit && index > 0) {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let hex = String(byte, radix: 16)
        escaped += "_" + (hex.count == 1 ? "0" + hex : hex)
      }
    }
    return escaped
  }

  public static let root = ObjectPath(unchecked: "/")
  public static var variantType: String { "o" }
  public var variant: Variant { Variant(taking: g_variant_new_object_path(string)) }
  public var description: String { string }

  public init(variant: Variant) throws(VariantError) {
    try variant.expect("o")
    string = String(cString: g_variant_get_string(variant.pointer, nil))
  }
}

extension Bool: VariantConvertible {
  public static var variantType: String { "b" }
  public var variant: Variant { Variant(taking: g_variant_new_boolean(self ? 1 : 0)) }

  public init(variant: Variant) throws(VariantError) {
    try variant.expect("b")
    self = g_variant_get_boolean(variant.pointer) != 0
  }
}

/// A number, which is as long as its D-Bus type.
public protocol VariantNumber: VariantConvertible, BitwiseCopyable {}

extension VariantNumber {
  public init(variant: Variant) throws(VariantError) {
    try variant.expect(Self.variantType)
    guard let bytes = g_variant_get_data(variant.pointer) else { preconditionFailure("a number has no bytes") }
    self = bytes.loadUnaligned(as: Self.self)
  }
}

extension Int32: VariantNumber {
  public static var variantType: String { "i" }
  public var variant: Variant { Variant(taking: g_variant_new_int32(self)) }
}

extension UInt32: VariantNumber {
  public static var variantType: String { "u" }
  public var variant: Variant { Variant(taking: g_variant_new_uint32(self)) }
}

extension Int64: VariantNumber {
  public static var variantType: String { "x" }
  public var variant: Variant { Variant(taking: g_variant_new_int64(gint64(self))) }
}

extension UInt64: VariantNumber {
  public static var variantType: String { "t" }
  public var variant: Variant { Variant(taking: g_variant_new_uint64(guint64(self))) }
}

extension Double: VariantNumber {
  public static var variantType: String { "d" }
  public var variant: Variant { Variant(taking: g_variant_new_double(self)) }
}

extension Array: VariantConvertible where Element: VariantConvertible {
  public static var variantType: String { "a" + Element.variantType }
  public var variant: Variant { .array(of: Element.variantType, map(\.variant)) }

  public init(variant: Variant) throws(VariantError) {
    try variant.expect(Self.variantType)
    var members: [Element] = []
    for child in variant.children { members.append(try Element(variant: child)) }
    self = members
  }
}

/// A dictionary of strings.
extension Dictionary: VariantConvertible where Key == String, Value == String {
  public static var variantType: String { "a{ss}" }
  public var variant: Variant { .array(of: "{ss}", map { Variant.entry($0.key.variant, $0.value.variant) }) }

  public init(variant: Variant) throws(VariantError) {
    try variant.expect(Self.variantType)
    self = [:]
    for entry in variant.children {
      let (key, value) = (entry.children[0], entry.children[1])
      self[try String(variant: key)] = try String(variant: value)
    }
  }
}

/// A file descriptor in a message: its place in the list of descriptors that come with the message.
package struct DescriptorHandle: VariantConvertible, Sendable {
  package static var variantType: String { "h" }

  package let index: Int32
  package var variant: Variant { Variant(taking: g_variant_new_handle(index)) }

  package init(index: Int32 = 0) {
    self.index = index
  }

  package init(variant: Variant) throws(VariantError) {
    try variant.expect("h")
    index = g_variant_get_handle(variant.pointer)
  }
}
