// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// JSON on several lines, for people who read or edit it.
package enum IndentedJSON {
  /// The JSON text, with members in alphabetical order and two spaces for each level. Empty arrays and objects, and
  /// arrays of texts and numbers, stay on one line.
  package static func text(of value: ChappieJSONValue, indent: String = "") -> String {
    let inner = indent + "  "
    switch value {
    case .object(let members) where !members.isEmpty:
      let lines = members.sorted { $0.key < $1.key }.map { name, member in
        "\(inner)\(ChappieJSONValue.string(name).json): \(text(of: member, indent: inner))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
    case .array(let elements) where elements.contains { $0.objectValue != nil || $0.arrayValue != nil }:
      let lines = elements.map { inner + text(of: $0, indent: inner) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
    case .array(let elements): return "[\(elements.map(\.json).joined(separator: ", "))]"
    default: return value.json
    }
  }

  /// A line for each value that has no parts, with the path to it: `properties.city.type: "string"`.
  package static func leaves(of value: ChappieJSONValue, path: String = "") -> [String] {
    let parts: [(name: String, value: ChappieJSONValue)]
    switch value {
    case .object(let members) where !members.isEmpty:
      parts = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    case .array(let elements) where !elements.isEmpty:
      parts = elements.enumerated().map { ("\($0.offset)", $0.element) }
    default: return [path.isEmpty ? value.json : "\(path): \(value.json)"]
    }
    return parts.flatMap { leaves(of: $0.value, path: path.isEmpty ? $0.name : "\(path).\($0.name)") }
  }
}
