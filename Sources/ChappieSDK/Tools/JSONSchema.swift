// SPDX-License-Identifier: Apache-2.0

/// Checks values against the keywords of JSON Schema that a strict tool has: `type`, `properties`, `required`, `enum`,
/// `items` and `additionalProperties`. Other keywords are for the model, and for the backend that enforces them.
package struct JSONSchema: Sendable {
  /// The longest text of a schema, in bytes.
  package static let textLimit = 256 << 10
  /// The most JSON values in a schema.
  package static let valueLimit = 20_000
  /// The most JSON values in a call's arguments.
  package static let argumentLimit = 200_000

  private let root: SchemaNode

  /// - Throws: ``SchemaError`` for a keyword of a wrong form.
  package init(_ schema: ChappieJSONValue) throws(SchemaError) {
    root = try SchemaNode(schema, at: SchemaPath(root: "#"))
  }

  /// The first violation as a sentence that starts with its place, such as `/city: must be a string`; nil if `value`
  /// fits. The root's place is `/`. A large value takes some milliseconds, so do not run the check on the actor.
  package func violation(in value: ChappieJSONValue) -> String? {
    root.violation(in: value).map { "\(SchemaPath(keys: $0.keys.reversed()).text): \($0.problem)" }
  }
}

/// An error in a schema.
package struct SchemaError: Error, Equatable, CustomStringConvertible {
  /// The place and the error, without a full stop.
  package let description: String

  init(_ path: SchemaPath, _ problem: String) {
    description = "\(path.text) \(problem)"
  }
}

/// A parsed schema.
private indirect enum SchemaNode: Sendable {
  /// `true` fits everything, `false` nothing.
  case always(Bool)
  case rules(SchemaRules)

  init(_ schema: ChappieJSONValue, at path: SchemaPath) throws(SchemaError) {
    guard path.keys.count < ChappieJSONValue.depthLimit else { throw SchemaError(path, "is nested too deep") }
    switch schema {
    case .bool(let verdict): self = .always(verdict)
    case .object(let keywords): self = .rules(try SchemaRules(keywords, at: path))
    default: throw SchemaError(path, "must be an object, true or false")
    }
  }

  func violation(in value: ChappieJSONValue) -> SchemaViolation? {
    switch self {
    case .always(true): nil
    case .always(false): SchemaViolation(problem: "is not allowed")
    case .rules(let rules): rules.violation(in: value)
    }
  }
}

private struct SchemaViolation {
  let problem: String
  /// The keys and indices of its place, the innermost first.
  var keys: [String] = []

  func below(_ key: String) -> SchemaViolation {
    SchemaViolation(problem: problem, keys: keys + [key])
  }
}

/// The keywords of one schema. A missing one is nil or empty, and has no effect.
private struct SchemaRules: Sendable {
  private let types: [SchemaType]
  private let choices: [ChappieJSONValue]?
  /// `choices`, for a search of constant time.
  private let choiceSet: Set<ChappieJSONValue>
  private let required: [String]
  private let properties: [String: SchemaNode]
  private let additionalProperties: SchemaNode?
  private let items: SchemaNode?

  // MARK: Reading

  init(_ keywords: [String: ChappieJSONValue], at path: SchemaPath) throws(SchemaError) {
    let reader = KeywordReader(keywords: keywords, path: path)
    types = try reader.types()
    choices = try reader.array("enum")
    choiceSet = Set(choices ?? [])
    var names: Set<[UInt8]> = []
    required = try reader.strings("required").filter { names.insert(Array($0.utf8)).inserted }
    properties = try reader.schemas("properties")
    additionalProperties = try reader.schema("additionalProperties")
    items = try reader.schema("items")
  }

  private struct KeywordReader {
    let keywords: [String: ChappieJSONValue]
    let path: SchemaPath

    private func wrong(_ name: String, _ form: String) -> SchemaError {
      SchemaError(path.appending(name), "must be \(form)")
    }

    func array(_ name: String) throws(SchemaError) -> [ChappieJSONValue]? {
      guard let value = keywords[name] else { return nil }
      guard let elements = value.arrayValue else { throw wrong(name, "an array") }
      return elements
    }

    func strings(_ name: String) throws(SchemaError) -> [String] {
      let elements = try array(name) ?? []
      let strings = elements.compactMap(\.stringValue)
      guard strings.count == elements.count else { throw wrong(name, "an array of strings") }
      return strings
    }

    /// A single type or a list of them.
    func types() throws(SchemaError) -> [SchemaType] {
      let names = if let name = keywords["type"]?.stringValue { [name] } else { try strings("type") }
      let types = names.compactMap(SchemaType.init)
      guard types.count == names.count else {
        throw wrong("type", "object, array, string, integer, number, boolean or null")
      }
      return types.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    func schema(_ name: String) throws(SchemaError) -> SchemaNode? {
      guard let schema = keywords[name] else { return nil }
      return try SchemaNode(schema, at: path.appending(name))
    }

    func schemas(_ name: String) throws(SchemaError) -> [String: SchemaNode] {
      guard let value = keywords[name] else { return [:] }
      guard let members = value.objectValue else { throw wrong(name, "an object") }
      var nodes: [String: SchemaNode] = [:]
      for (key, schema) in members { nodes[key] = try SchemaNode(schema, at: path.appending(name).appending(key)) }
      return nodes
    }
  }

  // MARK: Checking

  func violation(in value: ChappieJSONValue) -> SchemaViolation? {
    if let problem = problem(with: value) { return SchemaViolation(problem: problem) }
    switch value {
    case .object(let members): return violation(in: members)
    case .array(let elements):
      guard let items else { return nil }
      for (index, element) in elements.enumerated() {
        if let violation = items.violation(in: element) { return violation.below("\(index)") }
      }
      return nil
    default: return nil
    }
  }

  private func problem(with value: ChappieJSONValue) -> String? {
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

  private func violation(in members: [String: ChappieJSONValue]) -> SchemaViolation? {
    guard !properties.isEmpty || additionalProperties != nil else { return nil }
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let property = properties[bytesOf: key]
      if property == nil, case .always(false) = additionalProperties {
        return SchemaViolation(problem: "must not have the property '\(SchemaPath.shown(key))'")
      }
      let schema = property ?? additionalProperties
      if let violation = schema?.violation(in: value) { return violation.below(key) }
    }
    return nil
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

/// A place in a value or a schema, as a JSON pointer.
struct SchemaPath {
  /// The longest key that is shown in full, in characters. Keys come from the model.
  private static let keyLimit = 40

  /// Empty for a value, `#` for a schema.
  var root = ""
  var keys: [String] = []

  func appending(_ key: String) -> SchemaPath {
    var path = self
    path.keys.append(key)
    return path
  }

  /// The last eight keys at most.
  var text: String {
    let shown = keys.suffix(8).map {
      "/" + Self.shown($0).replacing("~", with: "~0").replacing("/", with: "~1")
    }
    let text = root + (keys.count > 8 ? "/…" : "") + shown.joined()
    return text.isEmpty ? "/" : text
  }

  /// A key on one line, truncated if it is too long.
  static func shown(_ key: String) -> String {
    let line = Redaction.message(key)
    return line.count > keyLimit ? line.prefix(keyLimit - 1) + "…" : line
  }
}
