// SPDX-License-Identifier: Apache-2.0
import CGLib

/// An immutable value of a D-Bus type.
public struct Variant: Sendable {
  /// Owns a reference to a `GVariant`, which is immutable and has an atomic reference count.
  private final class Storage: @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
      self.pointer = pointer
    }

    deinit {
      g_variant_unref(pointer)
    }
  }

  private let storage: Storage

  var pointer: OpaquePointer { storage.pointer }

  /// Takes ownership of a floating or owned value.
  init(taking pointer: OpaquePointer?) {
    guard let pointer else { preconditionFailure("GLib returned no value where it promises one") }
    storage = Storage(owning: g_variant_take_ref(pointer))
  }

  /// Adds a reference to a value.
  init(sharing pointer: OpaquePointer?) {
    guard let pointer else { preconditionFailure("GLib returned no value where it promises one") }
    storage = Storage(owning: g_variant_ref(pointer))
  }

  /// The type string, such as `a{sv}`.
  public var type: String {
    String(cString: g_variant_get_type_string(pointer))
  }

  public func isOfType(_ type: String) -> Bool {
    strcmp(g_variant_get_type_string(pointer), type) == 0
  }

  /// The size of the serialised value, in bytes.
  public var byteCount: Int {
    Int(g_variant_get_size(pointer))
  }

  // MARK: Containers

  public static func tuple(_ members: [Variant]) -> Variant {
    let pointers = members.map { Optional($0.pointer) }
    return Variant(taking: g_variant_new_tuple(pointers, gsize(pointers.count)))
  }

  public static func tuple(_ members: any VariantConvertible...) -> Variant {
    tuple(members.map(\.variant))
  }

  public static func array(of type: String, _ members: [Variant]) -> Variant {
    let pointers = members.map { Optional($0.pointer) }
    let elementType = g_variant_type_new(type)
    defer { g_variant_type_free(elementType) }
    return Variant(taking: g_variant_new_array(elementType, pointers, gsize(pointers.count)))
  }

  /// This value wrapped in a variant of type `v`.
  public var boxed: Variant {
    Variant(taking: g_variant_new_variant(pointer))
  }

  /// A dictionary entry, for `array(of:_:)`.
  public static func entry(_ key: Variant, _ value: Variant) -> Variant {
    Variant(taking: g_variant_new_dict_entry(key.pointer, value.pointer))
  }

  /// The number of a container's members; 0 for a basic type.
  public var childCount: Int {
    g_variant_is_container(pointer) != 0 ? Int(g_variant_n_children(pointer)) : 0
  }

  /// The members of a container; empty for a basic type.
  public var children: [Variant] {
    guard g_variant_is_container(pointer) != 0 else { return [] }
    return (0..<g_variant_n_children(pointer)).map {
      Variant(taking: g_variant_get_child_value(pointer, $0))
    }
  }

  /// The content of a value of type `v`; any other value unchanged.
  public var unboxed: Variant {
    isOfType("v") ? Variant(taking: g_variant_get_variant(pointer)) : self
  }

  /// The text of a zero-terminated `ay`, which D-Bus uses for strings that may not be UTF-8; nil for any other type.
  public var byteString: String? {
    isOfType("ay") ? String(cString: g_variant_get_bytestring(pointer)) : nil
  }

  // MARK: Text form

  /// Parses GVariant's text format, which `gdbus call` uses.
  ///
  /// - Parameter type: the expected type; nil infers it.
  /// - Throws: ``GLibError`` when the text is invalid.
  public init(parsing text: String, type: String? = nil) throws {
    let variantType = type.map { g_variant_type_new($0) } ?? nil
    defer { if let variantType { g_variant_type_free(variantType) } }
    self.init(taking: try checked { g_variant_parse(variantType, text, nil, nil, &$0) })
  }

  /// Reads the serialised form. Invalid bytes give default values.
  public init(bytes: [UInt8], type: String) {
    let variantType = g_variant_type_new(type)
    defer { g_variant_type_free(variantType) }
    let data = g_bytes_new(bytes, gsize(bytes.count))
    defer { g_bytes_unref(data) }
    let raw = Variant(taking: g_variant_new_from_bytes(variantType, data, 0))
    self.init(taking: g_variant_get_normal_form(raw.pointer))
  }
}

extension Variant: CustomStringConvertible {
  /// GVariant's text format.
  public var description: String {
    takeString(g_variant_print(pointer, 0)) ?? ""
  }
}

extension Variant: Equatable {
  public static func == (left: Variant, right: Variant) -> Bool {
    g_variant_equal(UnsafeRawPointer(left.pointer), UnsafeRawPointer(right.pointer)) != 0
  }
}
