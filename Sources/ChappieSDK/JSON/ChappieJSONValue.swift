// SPDX-License-Identifier: Apache-2.0
import Platform

/// Any JSON value.
///
/// Write it as literals: `["type": "object", "properties": ["city": ["type": "string"]]]`. Numbers are compared by
/// value: `1` equals `1.0`. Strings and names are compared by their bytes, although `String` takes a composed and a
/// decomposed letter for one: so a text in which Swift's dictionary would take two names for one is not read.
public enum ChappieJSONValue: Sendable {
  /// An object: its members by their names, in no order.
  case object([String: ChappieJSONValue])
  /// An array.
  case array([ChappieJSONValue])
  /// A string.
  case string(String)
  /// A number that is written without a fraction and fits into 64 bits.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// `true` or `false`.
  case bool(Bool)
  /// `null`.
  case null

  // MARK: Parts

  /// A member of an object; nil if the member is missing or the value is not an object.
  public subscript(key: String) -> ChappieJSONValue? {
    if case .object(let members) = self { return members[bytesOf: key] }
    return nil
  }

  /// An element of an array; nil if the index is out of range or the value is not an array.
  public subscript(index: Int) -> ChappieJSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The members of an object; nil for other values.
  public var objectValue: [String: ChappieJSONValue]? {
    if case .object(let members) = self { return members }
    return nil
  }

  /// The elements of an array; nil for other values.
  public var arrayValue: [ChappieJSONValue]? {
    if case .array(let elements) = self { return elements }
    return nil
  }

  /// A string; nil for other values.
  public var stringValue: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// An integer, also one that is written with a fraction of zero; nil for other values.
  public var integerValue: Int64? {
    switch self {
    case .integer(let number): number
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// A number from 0 to 2^53 without its fraction, for servers that write `2.5` and mean `2`; nil for other values.
  package var count: Count? {
    switch self {
    case .integer(let number): Count(number)
    case .number(let number): Count(number)
    default: nil
    }
  }

  /// A time between the years 1970 and 9999 in Unix seconds, without its fraction; nil for other values.
  package var time: Timestamp? {
    switch self {
    case .integer(let number): Timestamp(number)
    case .number(let number): Timestamp(number)
    default: nil
    }
  }

  /// A number in `range` without its fraction; nil for other values.
  package func number(in range: ClosedRange<Int>) -> Int? {
    let number: Int? =
      switch self {
      case .integer(let number): Int(exactly: number)
      case .number(let number): Int(exactly: number.rounded(.towardZero))
      default: nil
      }
    return number.flatMap { range.contains($0) ? $0 : nil }
  }

  /// Any number; nil for other values.
  public var numberValue: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  /// A boolean; nil for other values.
  public var boolValue: Bool? {
    if case .bool(let value) = self { return value }
    return nil
  }

  /// Whether the value is `null`.
  public var isNull: Bool {
    if case .null = self { return true }
    return false
  }
}

extension Dictionary where Key == String {
  /// The value of the name with the same bytes as `name`, while `String` compares characters.
  package subscript(bytesOf name: String) -> Value? {
    guard let place = index(forKey: name), self[place].key.utf8.elementsEqual(name.utf8) else { return nil }
    return self[place].value
  }
}

extension ChappieJSONValue: Hashable {
  public static func == (left: ChappieJSONValue, right: ChappieJSONValue) -> Bool {
    switch (left, right) {
    case (.object(let left), .object(let right)):
      left.count == right.count && left.allSatisfy { right[bytesOf: $0.key] == $0.value }
    case (.array(let left), .array(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.integer(let whole), .number(let number)), (.number(let number), .integer(let whole)):
      Int64(exactly: number) == whole
    case (.bool(let left), .bool(let right)): left == right
    case (.null, .null): true
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .object(let members): hasher.combine(members)
    case .array(let elements): hasher.combine(elements)
    // As they are compared: texts of the same characters would all have one hash.
    case .string(let text): hasher.combine(Array(text.utf8))
    case .integer(let number): hasher.combine(number)
    case .number(let number):
      if let whole = Int64(exactly: number) { hasher.combine(whole) } else { hasher.combine(number) }
    case .bool(let value): hasher.combine(value)
    case .null: hasher.combine(0 as UInt8)
    }
  }
}
