// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A JSON object on one line, with its members in the order in which they were set.
struct JSONObject {
  private var members: [String] = []

  mutating func set(_ key: String, _ text: String?) {
    set(key, text.map { .string($0) })
  }

  mutating func set(_ key: String, _ texts: [String]) {
    set(key, .array(texts.map { .string($0) }))
  }

  mutating func set(_ key: String, _ flag: Bool?) {
    set(key, flag.map { .bool($0) })
  }

  mutating func set(_ key: String, _ number: (some BinaryInteger)?) {
    set(key, number.map { Int64(exactly: $0).map { .integer($0) } ?? .number(Double($0)) })
  }

  /// Whole numbers are written without a fraction.
  mutating func set(_ key: String, _ number: Double?) {
    set(key, number.map { number in Int64(exactly: number).map { .integer($0) } ?? .number(number) })
  }

  mutating func set(_ key: String, _ object: JSONObject?) {
    if let object { set(key, text: object.line) }
  }

  mutating func set(_ key: String, _ value: ChappieJSONValue?) {
    if let value { set(key, text: value.json.terminalSafeJSON) }
  }

  private mutating func set(_ key: String, text: String) {
    members.append("\(ChappieJSONValue.string(key).json):\(text)")
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
