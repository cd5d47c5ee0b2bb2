// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A JSON object on one line, with its members in the order in which they were set.
struct JSONObject {
  private var members: [String] = []

  mutating func set(_ key: String, _ text: String?) {
    set(key, json: text.map { .string($0) })
  }

  mutating func set(_ key: String, _ texts: [String]) {
    set(key, json: .array(texts.map { .string($0) }))
  }

  mutating func set(_ key: String, _ flag: Bool?) {
    set(key, json: flag.map { .bool($0) })
  }

  mutating func set(_ key: String, _ number: (some BinaryInteger)?) {
    set(key, json: number.map { Int64(exactly: $0).map { .integer($0) } ?? .number(Double($0)) })
  }

  /// Whole numbers are written without a fraction.
  mutating func set(_ key: String, _ number: Double?) {
    set(key, json: number.map { number in Int64(exactly: number).map { .integer($0) } ?? .number(number) })
  }

  mutating func set(_ key: String, _ objects: [JSONObject]) {
    set(key, text: "[\(objects.map(\.line).joined(separator: ","))]")
  }

  mutating func set(_ key: String, _ object: JSONObject?) {
    if let object { set(key, text: object.line) }
  }

  private mutating func set(_ key: String, json value: ChappieJSONValue?) {
    if let value { set(key, text: value.json.terminalSafeJSON) }
  }

  private mutating func set(_ key: String, text: String) {
    members.append("\(ChappieJSONValue.string(key).json):\(text)")
  }

  /// Adds the members of `object`.
  mutating func append(_ object: JSONObject) {
    members += object.members
  }

  /// The object as JSON text.
  var line: String { "{\(members.joined(separator: ","))}" }
}
