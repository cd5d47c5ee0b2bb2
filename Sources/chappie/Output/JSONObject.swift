import FoundationEssentials
import GLibBridge
import Platform

/// A JSON object with its members in the order in which they were set, on one line.
struct JSONObject {
  private var members: [String] = []

  mutating func set(_ key: String, _ value: (some Encodable)?) {
    guard let value else { return }
    members.append("\(Self.text(key)):\(Self.text(value))")
  }

  mutating func set(_ key: String, _ objects: [JSONObject]) {
    members.append("\(Self.text(key)):[\(objects.map(\.line).joined(separator: ","))]")
  }

  mutating func set(_ key: String, _ object: JSONObject?) {
    guard let object else { return }
    members.append("\(Self.text(key)):\(object.line)")
  }

  /// Adds the members of `object`.
  mutating func append(_ object: JSONObject) {
    members += object.members
  }

  var line: String { "{\(members.joined(separator: ","))}" }

  private static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // Strings and numbers always encode.
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self).harmlessJSON } ?? "null"
  }
}
