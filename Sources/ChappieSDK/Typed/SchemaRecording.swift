// SPDX-License-Identifier: Apache-2.0

extension ChappieSchema {
  /// Derives the strict schema of a type from what its `init(from:)` reads.
  ///
  /// It knows texts, numbers, `Bool`, arrays, optionals, nested types, enums that are `CaseIterable` with raw values, and
  /// with the trait `FoundationTypes` also `Date`, `URL` and `UUID`. A type may contain itself in arrays and optionals.
  /// ``ChappieDescribed`` adds descriptions and bounds. A missing value is null, because strict objects have all their
  /// properties.
  ///
  /// An `init(from:)` of your own gets samples: `false`, 0, an empty text, the first case. What it would read for other
  /// values is not seen, so it is missing in the schema. If its keys are `CaseIterable`, that is an error.
  ///
  /// - Parameter type: a type that is an object in JSON, such as a struct.
  /// - Throws: ``ChappieSchemaError`` for a type without a strict schema: dictionaries, enums with associated values,
  ///   `Data`, `Decimal`, an `init(from:)` that refuses zero or an empty text; for bounds that no value meets; for more
  ///   than 10 levels of objects, 5,000 properties or 1,000 values of enums and texts with `anyOf`.
  public static func of<Value: Decodable>(_ type: Value.Type) throws(ChappieSchemaError) -> ChappieSchema {
    let recording = SchemaRecording()
    let root = SchemaNode(path: rootName(of: type), level: 0)
    do {
      try SchemaRecorder(node: root, recording: recording).note(type)
    } catch {
      throw recording.problem ?? ChappieSchemaError(path: root.path, problem: "\(error)")
    }
    if let problem = recording.problem ?? recording.unaskedKey { throw problem }
    guard case .object = root.form, !root.isOptional else {
      throw ChappieSchemaError(path: root.path, problem: "the whole must be an object: put it into a struct")
    }
    var json = try root.json().objectValue ?? [:]
    var definitions: [String: ChappieJSONValue] = [:]
    for (name, node) in recording.definitions { definitions[name] = try node.json() }
    if !definitions.isEmpty { json["$defs"] = .object(definitions) }
    return ChappieSchema(.object(json))
  }

  /// The name of a value of the type in errors: `recipe`.
  static func rootName(of type: Any.Type) -> String {
    let name = "\(type)"
    return name.prefix(1).lowercased() + name.dropFirst()
  }
}

/// The state of one derivation.
final class SchemaRecording {
  private static let levelLimit = 10
  private static let propertyLimit = 5_000
  private static let choiceLimit = 1_000

  /// The first problem. It ends the derivation, even if an `init(from:)` catches the error.
  private(set) var problem: ChappieSchemaError?
  /// The types whose `init(from:)` is running, the outermost first.
  var openTypes: [any Decodable.Type] = []
  /// The names of the types that contain themselves.
  private var names: [ObjectIdentifier: String] = [:]
  fileprivate private(set) var definitions: [String: SchemaNode] = [:]
  /// The objects whose keys are known, with the names of these.
  private var keyedNodes: [(node: SchemaNode, names: [String])] = []
  private var properties = 0
  private var choices = 0

  @discardableResult
  func fail(_ node: SchemaNode, _ text: String) -> ChappieSchemaError {
    let first = problem ?? ChappieSchemaError(path: node.path, problem: text)
    problem = first
    return first
  }

  /// The place of the schema of a type that is being read; nil for other types.
  func reference(to type: Any.Type) -> String? {
    let id = ObjectIdentifier(type)
    guard let depth = openTypes.firstIndex(where: { $0 == type }) else { return nil }
    if depth == 0 { return "#" }
    let plain = String("\(type)".map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    let isTaken = names.contains { $0.value == plain && $0.key != id }
    let name = names[id] ?? (isTaken ? "\(plain)_\(names.count)" : plain)
    names[id] = name
    return "#/$defs/\(name)"
  }

  /// Moves the schema of a type that contains itself to the definitions.
  func define(_ type: Any.Type, _ node: SchemaNode) {
    guard let name = names[ObjectIdentifier(type)] else { return }
    definitions[name] = SchemaNode(path: node.path, level: node.level, form: node.form)
    node.form = .reference("#/$defs/\(name)")
  }

  /// Notes that a type reads an object with these keys.
  func expectKeys(_ keys: any CodingKey.Type, of node: SchemaNode) {
    if let keys = keys as? any CaseIterable.Type { keyedNodes.append((node, Self.names(of: keys))) }
  }

  private static func names<Keys: CaseIterable>(of keys: Keys.Type) -> [String] {
    keys.allCases.compactMap { ($0 as? any CodingKey)?.stringValue }
  }

  /// The error for a key that a type does not ask for when it reads the samples.
  var unaskedKey: ChappieSchemaError? {
    for (node, names) in keyedNodes {
      guard let name = names.first(where: { !node.askedNames.contains($0) }) else { continue }
      return ChappieSchemaError(
        path: "\(node.path).\(name)",
        problem: "the init(from:) reads this only for some values: read it always, or write the schema")
    }
    return nil
  }

  func countProperty(_ node: SchemaNode) throws {
    properties += 1
    guard properties <= Self.propertyLimit else {
      throw fail(node, "the type has more than \(Self.propertyLimit) properties: ask for less")
    }
    guard node.level <= Self.levelLimit else {
      throw fail(node, "objects are nested in more than \(Self.levelLimit) levels: make the type flatter")
    }
  }

  func countChoices(_ count: Int, _ node: SchemaNode) throws {
    choices += count
    guard choices <= Self.choiceLimit else {
      throw fail(node, "the enums have more than \(Self.choiceLimit) values: use a text")
    }
  }
}

/// The schema of one value while it is being derived.
final class SchemaNode {
  enum Form {
    /// Nothing has been read yet.
    case open
    case scalar(type: String, format: String?)
    case choices([ChappieJSONValue])
    case array(SchemaNode)
    /// The members in the order in which the type reads them.
    case object([(name: String, node: SchemaNode)])
    /// The place of another schema, in which this one is contained.
    case reference(String)
  }

  /// The path of the field, for errors: `recipe.steps[].kind`.
  let path: String
  /// The number of objects around the value.
  let level: Int
  var form = Form.open
  /// Whether null stands for a missing value.
  var isOptional = false
  var notes = ChappieFieldDescription()
  /// The keys that the type has asked for, read or not.
  var askedNames: Set<String> = []

  init(path: String, level: Int, form: Form = .open) {
    self.path = path
    self.level = level
    self.form = form
  }

  func member(_ name: String) -> SchemaNode? {
    guard case .object(let members) = form else { return nil }
    return members.first { $0.name == name }?.node
  }

  func json() throws(ChappieSchemaError) -> ChappieJSONValue {
    var schema = try bareSchema()
    try notes.apply(to: &schema, at: path)
    if isOptional {
      if case .scalar(let type, _) = form, schema["enum"] == nil {
        schema["type"] = [.string(type), "null"]
      } else {
        schema = ["anyOf": [.object(schema), ["type": "null"]]]
      }
    }
    // A reference has no keywords beside it.
    if let description = notes.description, schema["$ref"] == nil { schema["description"] = .string(description) }
    return .object(schema)
  }

  private func bareSchema() throws(ChappieSchemaError) -> [String: ChappieJSONValue] {
    switch form {
    case .open: throw ChappieSchemaError(path: path, problem: "nothing is read here: its schema is not known")
    case .scalar(let type, nil): return ["type": .string(type)]
    case .scalar(let type, let format?): return ["type": .string(type), "format": .string(format)]
    case .choices(let values):
      let areTexts = values.allSatisfy { $0.stringValue != nil }
      let areWhole = values.allSatisfy { if case .integer = $0 { true } else { false } }
      let type: ChappieJSONValue = areTexts ? "string" : areWhole ? "integer" : "number"
      return ["type": type, "enum": .array(values)]
    case .array(let element): return ["type": "array", "items": try element.json()]
    case .reference(let place): return ["$ref": .string(place)]
    case .object(let members):
      var properties: [String: ChappieJSONValue] = [:]
      for member in members { properties[member.name] = try member.node.json() }
      return [
        "type": "object", "properties": .object(properties), "required": .array(members.map { .string($0.name) }),
        "additionalProperties": false,
      ]
    }
  }
}
