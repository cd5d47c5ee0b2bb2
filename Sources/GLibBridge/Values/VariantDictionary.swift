// SPDX-License-Identifier: Apache-2.0
import Platform

/// A D-Bus dictionary of type `a{sv}`.
public struct VariantDictionary: Sendable, Equatable, VariantConvertible, ExpressibleByDictionaryLiteral {
  public static var variantType: String { "a{sv}" }

  private var values: [String: Variant] = [:]

  public init() {}

  /// A key whose value is nil is left out.
  public init(dictionaryLiteral elements: (String, (any VariantConvertible)?)...) {
    for (key, value) in elements { values[key] = value?.variant.unboxed }
  }

  public init(variant: Variant) throws(VariantError) {
    try variant.expect(Self.variantType)
    for entry in variant.children {
      let pair = entry.children
      values[try String(variant: pair[0])] = pair[1].unboxed
    }
  }

  public var variant: Variant {
    let entries = values.sorted { $0.key < $1.key }.map { Variant.entry($0.key.variant, $0.value.boxed) }
    return .array(of: "{sv}", entries)
  }

  public var isEmpty: Bool { values.isEmpty }

  public var keys: [String] { values.keys.sorted() }

  public subscript(key: String) -> Variant? { values[key] }

  /// Sets the value of `key`; does nothing when `value` is nil.
  public mutating func set(_ key: String, _ value: (any VariantConvertible)?) {
    if let value { values[key] = value.variant.unboxed }
  }

  public mutating func remove(_ key: String) {
    values[key] = nil
  }

  /// The time of `key` in Unix seconds, a value of type `x`; nil when the key is missing or the time is out of range.
  ///
  /// - Throws: ``VariantError`` when the value has another type.
  public func time(_ key: String) throws(VariantError) -> Timestamp? {
    try value(key, as: Int64.self).flatMap { Timestamp($0) }
  }

  /// The value of `key`; nil when the key is missing.
  ///
  /// - Throws: ``VariantError``, which names the key, when the value has another type.
  public func value<Value: VariantConvertible>(
    _ key: String, as type: Value.Type = Value.self
  ) throws(VariantError) -> Value? {
    guard let value = values[key] else { return nil }
    do throws(VariantError) {
      return try Value(variant: value)
    } catch {
      throw VariantError(key: key, expected: error.expected, found: error.found)
    }
  }
}
