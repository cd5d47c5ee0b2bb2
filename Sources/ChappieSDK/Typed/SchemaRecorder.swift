// SPDX-License-Identifier: Apache-2.0

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
    case is ChappieJSONValue.Type: throw recording.fail(node, "any JSON has no strict schema: use a type")
    case let type as any SchemaSpecialCase.Type: return try type.sample(for: self)
    default: break
    }
    if let text = FoundationText.sample(of: type) { return try scalar("string", text.value, format: text.format) }
    if let problem = FoundationText.problem(of: type) { throw recording.fail(node, problem) }
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
    guard !recording.openTypes.contains(where: { $0 == type }) else {
      throw recording.fail(node, "\(type) contains itself: only arrays and optionals of it have a schema")
    }
    recording.openTypes.append(type)
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
      try recording.countChoices(notes.anyOf?.count ?? 0, member)
      member.notes = notes
    }
  }

  // MARK: Parts

  func expect(_ form: TreeForm) throws {
    if let problem = recording.problem { throw problem }
    if case .object(let keys) = form { recording.expectKeys(keys, of: node) }
    switch (form, node.form) {
    case (.object, .open): node.form = .object([])
    case (.array, .open): node.form = .array(SchemaNode(path: node.path + "[]", level: node.level))
    case (.object, .object), (.array, .array): break
    default: throw severalForms
    }
  }

  /// Only an enum without raw values asks, or a type that is like a dictionary.
  var memberNames: [String] {
    recording.fail(
      node,
      recording.openTypes.last is any CaseIterable.Type
        ? "an enum without raw values has no schema: give it String raw values"
        : "an enum with associated values, or an object of any names, has no schema: use a struct with optionals")
    return []
  }

  func hasMember(_ name: String) -> Bool {
    node.askedNames.insert(name)
    return true
  }

  func member(_ key: any CodingKey) throws -> SchemaRecorder {
    let name = key.stringValue
    node.askedNames.insert(name)
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
