// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A JSON object on one line, with its members in the order in which they were set.
struct JSONObject: ExpressibleByDictionaryLiteral {
  private var members: [String] = []

  /// A key whose value is nil is left out.
  init(dictionaryLiteral elements: (String, (any JSONMember)?)...) {
    for (key, value) in elements { set(key, value) }
  }

  /// The values of a dictionary of the bus that have these keys, as ``copy(_:of:)`` adds them.
  init(_ keys: [String], of values: VariantDictionary) {
    copy(keys, of: values)
  }

  /// Adds a member, unless `value` is nil.
  mutating func set(_ key: String, _ value: (any JSONMember)?) {
    if let value { members.append("\(key.jsonText):\(value.jsonText)") }
  }

  /// Adds the values of a dictionary of the bus that have these keys. Values that are no texts, flags or numbers are
  /// left out.
  mutating func copy(_ keys: [String], of values: VariantDictionary) {
    for key in keys {
      guard let value = values[key] else { continue }
      switch value.type {
      case "s": set(key, try? value.value(as: String.self))
      case "b": set(key, try? value.value(as: Bool.self))
      case "u": set(key, try? value.value(as: UInt32.self))
      case "t": set(key, try? value.value(as: UInt64.self))
      // All of this type are times.
      case "x": set(key, (try? value.value(as: Int64.self)).flatMap { Timestamp($0) }?.unixSeconds)
      default: break
      }
    }
  }

  /// Adds the members of `object`.
  mutating func append(_ object: JSONObject) {
    members += object.members
  }

  /// The object as JSON text.
  var line: String { "{\(members.joined(separator: ","))}" }
}

/// A value of a ``JSONObject``.
protocol JSONMember {
  /// JSON without control characters.
  var jsonText: String { get }
}

extension ChappieJSONValue: JSONMember {
  var jsonText: String { json.terminalSafeJSON }
}

extension JSONObject: JSONMember {
  var jsonText: String { line }
}

extension String: JSONMember {
  var jsonText: String { ChappieJSONValue.string(self).jsonText }
}

extension [String]: JSONMember {
  var jsonText: String { ChappieJSONValue.array(map { .string($0) }).jsonText }
}

extension Bool: JSONMember {
  var jsonText: String { ChappieJSONValue.bool(self).jsonText }
}

extension Double: JSONMember {
  /// Whole numbers are written without a fraction.
  var jsonText: String { (Int64(exactly: self).map { .integer($0) } ?? ChappieJSONValue.number(self)).jsonText }
}

extension BinaryInteger {
  var jsonText: String {
    (Int64(exactly: self).map { .integer($0) } ?? ChappieJSONValue.number(Double(self))).jsonText
  }
}

extension Int: JSONMember {}
extension Int32: JSONMember {}
extension Int64: JSONMember {}
extension UInt32: JSONMember {}
extension UInt64: JSONMember {}
