// SPDX-License-Identifier: Apache-2.0

/// Checks values against the keywords of JSON Schema that a strict tool has: `type`, `properties`, `required`, `enum`,
/// `items` and `additionalProperties`. Other keywords are for the model, and for the backend that enforces them.
package final class JSONSchema: Sendable {
  /// The longest text of a schema, in bytes.
  package static let textLimit = 256 << 10
  /// The most JSON values in a schema.
  package static let valueLimit = 20_000
  /// The most JSON values in a call's arguments.
  package static let argumentLimit = 200_000

  /// False for the schema `false`, which nothing fits.
  private let fitsSomething: Bool
  private let types: [SchemaType]
  private let choices: [ChappieJSONValue]?
  /// `choices`, for a search of constant time.
  private let choiceSet: Set<ChappieJSONValue>
  private let required: [String]
  private let properties: [String: JSONSchema]
  private let additionalProperties: JSONSchema?
  private let items: JSONSchema?

  /// - Parameter path: the keys of the schema's place in a larger one.
  /// - Throws: ``SchemaError`` for a keyword of a wrong form.
  package init(_ schema: ChappieJSONValue, at path: [String] = []) throws(SchemaError) {
    // A keyword that is missing is nil or empty, and has no effect.
    guard path.count < ChappieJSONValue.depthLimit else { throw SchemaError(path, "is nested too deep") }
    guard let keywords = schema.boolValue == nil ? schema.objectValue : [:] else {
      throw SchemaError(path, "must be an object, true or false")
    }
    func keyword<Value>(
      _ name: String, _ form: String, _ read: (ChappieJSONValue) -> Value?
    ) throws(SchemaError) -> Value? {
      guard let value = keywords[name] else { return nil }
      guard let result = read(value) else { throw SchemaError(path + [name], "must be \(form)") }
      return result
    }
    func strings(_ name: String) throws(SchemaError) -> [String] {
      let elements = try keyword(name, "an array", \.arrayValue) ?? []
      let strings = elements.compactMap(\.stringValue)
      guard strings.count == elements.count else {
        throw SchemaError(path + [name], "must be an array of strings")
      }
      return strings
    }
    func part(_ name: String) throws(SchemaError) -> JSONSchema? {
      guard let schema = keywords[name] else { return nil }
      return try JSONSchema(schema, at: path + [name])
    }
    fitsSomething = schema.boolValue ?? true
    var types: [SchemaType] = []
    let typeNames = if let name = keywords["type"]?.stringValue { [name] } else { try strings("type") }
    for name in typeNames {
      guard let type = SchemaType(rawValue: name) else {
        throw SchemaError(path + ["type"], "must be object, array, string, integer, number, boolean or null")
      }
      if !types.contains(type) { types.append(type) }
    }
    self.types = types
    choices = try keyword("enum", "an array", \.arrayValue)
    choiceSet = Set(choices ?? [])
    var names: Set<[UInt8]> = []
    required = try strings("required").filter { names.insert(Array($0.utf8)).inserted }
    var properties: [String: JSONSchema] = [:]
    for (key, schema) in try keyword("properties", "an object", \.objectValue) ?? [:] {
      properties[key] = try JSONSchema(schema, at: path + ["properties", key])
    }
    self.properties = properties
    additionalProperties = try part("additionalProperties")
    items = try part("items")
  }

  /// The first violation as a sentence that starts with its place, such as `/city: must be a string`; nil if `value`
  /// fits. The root's place is `/`. A large value takes some milliseconds, so do not run the check on the actor.
  package func violation(in value: ChappieJSONValue) -> String? {
    firstViolation(in: value).map { "\(SchemaPath.text($0.keys.reversed())): \($0.problem)" }
  }

  /// - Returns: the problem, and the keys and indices of its place, the innermost first.
  private func firstViolation(in value: ChappieJSONValue) -> (problem: String, keys: [String])? {
    if let problem = problem(with: value) { return (problem, []) }
    switch value {
    case .object(let members) where !properties.isEmpty || additionalProperties != nil:
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        let property = properties[bytesOf: key]
        if property == nil, additionalProperties?.fitsSomething == false {
          return ("must not have the property '\(SchemaPath.shown(key))'", [])
        }
        let schema = property ?? additionalProperties
        if let found = schema?.firstViolation(in: value) { return (found.problem, found.keys + [key]) }
      }
    case .array(let elements):
      guard let items else { return nil }
      for (index, element) in elements.enumerated() {
        if let found = items.firstViolation(in: element) { return (found.problem, found.keys + ["\(index)"]) }
      }
    default: break
    }
    return nil
  }

  /// The problem with the value itself, without its members and elements.
  private func problem(with value: ChappieJSONValue) -> String? {
    if !fitsSomething { return "is not allowed" }
    if !types.isEmpty, !types.contains(where: { $0.includes(value) }) {
      return "must be " + types.map(\.phrase).joined(separator: " or ")
    }
    if let choices, !choiceSet.contains(value) {
      let shown = choices.prefix(20).map { SchemaPath.shown($0.json) }.joined(separator: ", ")
      return choices.count == 1 ? "must be \(shown)" : "must be one of \(shown)" + (choices.count > 20 ? ", …" : "")
    }
    if case .object(let members) = value, let missing = required.first(where: { members[bytesOf: $0] == nil }) {
      return "must have the property '\(SchemaPath.shown(missing))'"
    }
    return nil
  }
}

/// An error in a schema.
package struct SchemaError: Error, Equatable, CustomStringConvertible {
  /// The place and the error, without a full stop.
  package let description: String

  fileprivate init(_ path: [String], _ problem: String) {
    description = "\(SchemaPath.text(path, root: "#")) \(problem)"
  }
}

/// The types of JSON Schema.
private enum SchemaType: String, Sendable {
  case object, array, string, integer, number, boolean, null

  func includes(_ value: ChappieJSONValue) -> Bool {
    switch (self, value) {
    case (.object, .object), (.array, .array), (.string, .string), (.boolean, .bool), (.null, .null): true
    case (.number, .integer), (.number, .number), (.integer, .integer): true
    // 1.0 is an integer, and so is 1e300.
    case (.integer, .number(let number)): number.isFinite && number == number.rounded()
    default: false
    }
  }

  var phrase: String {
    switch self {
    case .object, .array, .integer: "an \(rawValue)"
    case .null: "null"
    default: "a \(rawValue)"
    }
  }
}

/// Places in a value or a schema, as JSON pointers.
private enum SchemaPath {
  /// The longest key that is shown in full, in characters. Keys come from the model.
  private static let keyLimit = 40

  /// The last eight keys at most.
  ///
  /// - Parameter root: `#` for a schema.
  static func text(_ keys: [String], root: String = "") -> String {
    let shown = keys.suffix(8).map { "/" + Self.shown($0).replacing("~", with: "~0").replacing("/", with: "~1") }
    let text = root + (keys.count > 8 ? "/…" : "") + shown.joined()
    return text.isEmpty ? "/" : text
  }

  /// A key on one line, truncated if it is too long.
  static func shown(_ key: String) -> String {
    let line = Redaction.message(key)
    return line.count > keyLimit ? line.prefix(keyLimit - 1) + "…" : line
  }
}
