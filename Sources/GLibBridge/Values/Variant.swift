import CGLib

/// A value of the D-Bus type system. Immutable.
public struct Variant: Sendable {
  /// Shares one `GVariant`, which is immutable and counts its references atomically.
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

  /// Takes a fresh (floating) value or an owned one.
  init(taking pointer: OpaquePointer?) {
    guard let pointer else { preconditionFailure("GLib returned no value where it promises one") }
    storage = Storage(owning: g_variant_take_ref(pointer))
  }

  /// Shares a value that belongs to somebody else.
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

  /// The bytes that this value takes on the wire.
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

  /// This value in a box of type `v`.
  public var boxed: Variant {
    Variant(taking: g_variant_new_variant(pointer))
  }

  /// One entry of a dictionary, for `array(of:_:)`.
  public static func entry(_ key: Variant, _ value: Variant) -> Variant {
    Variant(taking: g_variant_new_dict_entry(key.pointer, value.pointer))
  }

  /// How many members a container has; 0 for a basic type.
  public var childCount: Int {
    g_variant_is_container(pointer) != 0 ? Int(g_variant_n_children(pointer)) : 0
  }

  /// The members of a container; none for a basic type.
  public var children: [Variant] {
    guard g_variant_is_container(pointer) != 0 else { return [] }
    return (0..<g_variant_n_children(pointer)).map {
      Variant(taking: g_variant_get_child_value(pointer, $0))
    }
  }

  /// The content of a value of type `v`; any other value as it is.
  public var unboxed: Variant {
    isOfType("v") ? Variant(taking: g_variant_get_variant(pointer)) : self
  }

  /// The text of an `ay` that ends with a zero, as D-Bus passes what need not be UTF-8; nil for any other type.
  public var byteString: String? {
    isOfType("ay") ? String(cString: g_variant_get_bytestring(pointer)) : nil
  }

  // MARK: Text form

  /// Reads GVariant's text format, as `gdbus call` takes it.
  public init(parsing text: String, type: String? = nil) throws {
    let variantType = type.map { g_variant_type_new($0) } ?? nil
    defer { if let variantType { g_variant_type_free(variantType) } }
    let parsed = try checked { g_variant_parse(variantType, text, nil, nil, &$0) }
    self.init(taking: parsed)
  }

  /// Reads the serialised form. Bytes that are not a value of `type` give default values, never a fault.
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
    let text = g_variant_print(pointer, 0)
    defer { g_free(text) }
    return text.map { String(cString: $0) } ?? ""
  }
}

extension Variant: Equatable {
  public static func == (left: Variant, right: Variant) -> Bool {
    g_variant_equal(UnsafeRawPointer(left.pointer), UnsafeRawPointer(right.pointer)) != 0
  }
}
