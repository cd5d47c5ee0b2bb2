// SPDX-License-Identifier: Apache-2.0

extension ChappieJSONValue {
  /// Writes a value of any type as JSON, in the form that ``decoded(as:)`` reads.
  ///
  /// - Throws: `EncodingError` for an integer that is neither an `Int64` nor exact as a `Double`, a number that is not
  ///   finite, and a `Date` outside of the years 1970 to 9999; the error of the type's `encode(to:)`.
  public init(encoding value: some Encodable) throws {
    let node = EncodedNode()
    var encoder = JSONValueEncoder(node: node, codingPath: [])
    try encoder.encode(value)
    self = node.json
  }
}

/// A value that is being written.
private final class EncodedNode {
  /// A value without parts; an empty object or array for one with parts.
  var value: ChappieJSONValue = [:]
  private var members: [String: EncodedNode] = [:]
  private(set) var elements: [EncodedNode] = []

  var json: ChappieJSONValue {
    switch value {
    case .object: .object(members.mapValues(\.json))
    case .array: .array(elements.map(\.json))
    default: value
    }
  }

  func member(_ name: String) -> EncodedNode {
    let node = members[name] ?? EncodedNode()
    members[name] = node
    return node
  }

  func append() -> EncodedNode {
    elements.append(EncodedNode())
    return elements[elements.count - 1]
  }
}

private struct JSONValueEncoder: Encoder, SingleValueEncodingContainer {
  let node: EncodedNode
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  mutating func encodeNil() { node.value = .null }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let value as Bool: node.value = .bool(value)
    case let value as String: node.value = .string(value)
    case let value as any FixedWidthInteger:
      node.value = try written(
        value, Int64(exactly: value).map { .integer($0) } ?? Double(exactly: value).map { .number($0) })
    case let value as any BinaryFloatingPoint:
      // The digits of a `Float` are those of the number that it stands for: 0.1, and not 0.10000000149011612.
      let number = Double("\(value)")
      node.value = try written(value, number.flatMap { $0.isFinite ? .number($0) : nil })
    case _ where FoundationText.includes(Value.self):
      node.value = try written(value, FoundationText.text(of: value).map { .string($0) })
    default: try value.encode(to: self)
    }
  }

  private func written(_ value: Any, _ json: ChappieJSONValue?) throws -> ChappieJSONValue {
    guard let json else {
      throw EncodingError.invalidValue(
        value, EncodingError.Context(codingPath: codingPath, debugDescription: "JSON cannot express \(value)"))
    }
    return json
  }

  fileprivate func part(_ key: any CodingKey) -> JSONValueEncoder {
    JSONValueEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
  }

  fileprivate func next() -> JSONValueEncoder {
    let key = TreeKey(intValue: node.elements.count)
    return JSONValueEncoder(node: node.append(), codingPath: codingPath + [key])
  }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.value = [:]
    return KeyedEncodingContainer(EncodedMembers(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.value = []
    return EncodedElements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

private struct EncodedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: JSONValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.node.member(key.stringValue).value = .null }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    var part = encoder.part(key)
    try part.encode(value)
  }

  func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    encoder.part(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.part(key).unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder.part(TreeKey.superclass) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.part(key) }
}

private struct EncodedElements: UnkeyedEncodingContainer {
  let encoder: JSONValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.elements.count }

  func encodeNil() { encoder.node.append().value = .null }

  func encode<Value: Encodable>(_ value: Value) throws {
    var part = encoder.next()
    try part.encode(value)
  }

  func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder.next().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.next().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder.next() }
}
