// SPDX-License-Identifier: Apache-2.0

extension ChappieSchema {
  /// Derives the strict schema of a type from what its `init(from:)` reads.
  ///
  /// It knows texts, numbers, `Bool`, arrays, optionals, nested types, enums that are `CaseIterable` with raw values, and
  /// with the trait `FoundationTypes` also `Date`, `URL` and `UUID`. A type may contain itself in arrays and optionals.
  /// ``ChappieDescribed`` adds descriptions and bounds. A missing value is null, because strict objects have all their
  /// properties.
  ///
  /// - Parameter type: a type that is an object in JSON, such as a struct.
  /// - Throws: ``ChappieSchemaError`` for a type without a strict schema: dictionaries, enums with associated values,
  ///   an `init(from:)` that refuses zero or an empty text; for more than 10 levels of objects, 5,000 properties or
  ///   1,000 values of enums.
  public static func of<Value: Decodable>(_ type: Value.Type) throws(ChappieSchemaError) -> ChappieSchema {
    let recording = SchemaRecording()
    let root = SchemaNode(path: rootName(of: type), level: 0)
    do {
      try SchemaRecorder(node: root, recording: recording).note(type)
    } catch {
      throw recording.problem ?? ChappieSchemaError(path: root.path, problem: "\(error)")
    }
    if let problem = recording.problem { throw problem }
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
  fileprivate var openTypes: [ObjectIdentifier] = []
  /// The names of the types that contain themselves.
  private var names: [ObjectIdentifier: String] = [:]
  fileprivate private(set) var definitions: [String: SchemaNode] = [:]
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
    guard let depth = openTypes.firstIndex(of: id) else { return nil }
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

/// A decoder that notes what a type reads, and gives it samples.
struct SchemaRecorder: TreeDecoder {
  let node: SchemaNode
  let recording: SchemaRecording

  var codingPath: [any CodingKey] { [] }

  // MARK: Values

  /// Notes a type without a need for a value of it.
  func note(_ type: any Decodable.Type) throws {
    if let problem = recording.problem { throw problem }
    if let place = recording.reference(to: type) {
      node.form = .reference(place)
    } else {
      _ = try sample(of: type)
    }
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let problem = recording.problem { throw problem }
    guard let value = try sample(of: type) as? Value else { throw recording.fail(node, "\(type) has no sample") }
    return value
  }

  func decodeNil() -> Bool {
    node.isOptional = true
    return false
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    node.isOptional = true
    try note(type)
    return nil
  }

  private func sample(of type: any Decodable.Type) throws -> Any {
    switch type {
    case is Bool.Type: return try scalar("boolean", false)
    case is String.Type: return try scalar("string", "")
    case let type as any FixedWidthInteger.Type: return try scalar("integer", type.zero)
    case let type as any BinaryFloatingPoint.Type: return try scalar("number", type.zero)
    case let type as any SchemaSpecialCase.Type: return try type.sample(for: self)
    default: break
    }
    if let text = FoundationText.sample(of: type) { return try scalar("string", text.value, format: text.format) }
    if FoundationText.isMissing(type) { throw recording.fail(node, "\(type) needs the trait FoundationTypes") }
    if let enumeration = type as? any CaseIterable.Type, let cases = Self.cases(of: enumeration) {
      try recording.countChoices(cases.values.count, node)
      node.form = .choices(cases.values)
      return cases.first
    }
    return try read(type)
  }

  private func scalar(_ type: String, _ sample: Any, format: String? = nil) throws -> Any {
    switch node.form {
    case .open: node.form = .scalar(type: type, format: format)
    case .scalar(type, format): break
    default: throw severalForms
    }
    return sample
  }

  private var severalForms: ChappieSchemaError {
    recording.fail(node, "its init(from:) tries several types here: a strict schema has one")
  }

  /// The raw values of an enum, and its first case; nil for a type without raw values.
  private static func cases<Value: CaseIterable>(of type: Value.Type) -> (values: [ChappieJSONValue], first: Any)? {
    let values = type.allCases.compactMap { one in
      ((one as? any RawRepresentable)?.rawValue as? any Encodable).flatMap { try? ChappieJSONValue(encoding: $0) }
    }
    guard let first = type.allCases.first, values.count == type.allCases.count else { return nil }
    return (values, first)
  }

  /// Runs the type's own `init(from:)`.
  private func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard !recording.openTypes.contains(ObjectIdentifier(type)) else {
      throw recording.fail(node, "\(type) contains itself: only arrays and optionals of it have a schema")
    }
    recording.openTypes.append(ObjectIdentifier(type))
    defer { recording.openTypes.removeLast() }
    let value: Value
    do {
      value = try Value(from: self)
    } catch {
      throw recording.fail(
        node,
        Value.self is any RawRepresentable.Type
          ? "\(type) must be CaseIterable, so that its values are known"
          : "the init(from:) of \(type) refuses samples such as 0 and an empty text: write the schema")
    }
    if let problem = recording.problem { throw problem }
    if case .open = node.form { node.form = .object([]) }
    try describe(type)
    if recording.openTypes.count > 1 { recording.define(type, node) }
    return value
  }

  private func describe(_ type: any Decodable.Type) throws {
    guard let described = type as? any ChappieDescribed.Type else { return }
    for (name, notes) in described.fieldDescriptions.sorted(by: { $0.key < $1.key }) {
      guard let member = node.member(name) else {
        throw recording.fail(node, "a field '\(name)' is described, and is not read")
      }
      member.notes = notes
    }
  }

  // MARK: Parts

  func expect(_ form: TreeForm) throws {
    if let problem = recording.problem { throw problem }
    switch (form, node.form) {
    case (.object, .open): node.form = .object([])
    case (.array, .open): node.form = .array(SchemaNode(path: node.path + "[]", level: node.level))
    case (.object, .object), (.array, .array): break
    default: throw severalForms
    }
  }

  /// Only an enum with associated values asks, or a type that is like a dictionary.
  var memberNames: [String] {
    recording.fail(
      node, "an enum with associated values, or an object of any names, has no schema: use a struct with optionals")
    return []
  }

  func hasMember(_ name: String) -> Bool { true }

  func member(_ key: any CodingKey) throws -> SchemaRecorder {
    let name = key.stringValue
    if let known = node.member(name) { return SchemaRecorder(node: known, recording: recording) }
    let member = SchemaNode(path: "\(node.path).\(name)", level: node.level + 1)
    guard case .object(let members) = node.form else { throw severalForms }
    node.form = .object(members + [(name, member)])
    try recording.countProperty(member)
    return SchemaRecorder(node: member, recording: recording)
  }

  var elementCount: Int { 1 }

  func element(_ index: Int) throws -> SchemaRecorder {
    guard index == 0, case .array(let element) = node.form else {
      throw recording.fail(node, "an array with elements of several meanings has no schema: use a struct")
    }
    return SchemaRecorder(node: element, recording: recording)
  }
}

/// A type whose `init(from:)` does not tell its schema.
private protocol SchemaSpecialCase {
  static func sample(for recorder: SchemaRecorder) throws -> Any
}

extension Optional: SchemaSpecialCase where Wrapped: Decodable {
  fileprivate static func sample(for recorder: SchemaRecorder) throws -> Any {
    recorder.node.isOptional = true
    try recorder.note(Wrapped.self)
    return Self.none as Any
  }
}

extension Array: SchemaSpecialCase where Element: Decodable {
  fileprivate static func sample(for recorder: SchemaRecorder) throws -> Any {
    try recorder.expect(.array)
    try recorder.element(0).note(Element.self)
    return Self()
  }
}

extension Set: SchemaSpecialCase where Element: Decodable {
  fileprivate static func sample(for recorder: SchemaRecorder) throws -> Any {
    _ = try [Element].sample(for: recorder)
    return Self()
  }
}

extension Dictionary: SchemaSpecialCase where Key: Decodable, Value: Decodable {
  fileprivate static func sample(for recorder: SchemaRecorder) throws -> Any {
    throw recorder.recording.fail(
      recorder.node, "a dictionary has no strict schema: use an array of a struct with the key and the value")
  }
}

extension ChappieJSONValue: SchemaSpecialCase {
  fileprivate static func sample(for recorder: SchemaRecorder) throws -> Any {
    throw recorder.recording.fail(recorder.node, "any JSON has no strict schema: use a type")
  }
}
