// SPDX-License-Identifier: Apache-2.0

/// A decoder that has a decoder for each of its value's parts. Its containers consist of these.
protocol TreeDecoder: Decoder, SingleValueDecodingContainer {
  /// - Throws: if the value has another form.
  func expect(_ form: TreeForm) throws
  /// The names of the members of an object.
  var memberNames: [String] { get }
  func hasMember(_ name: String) -> Bool
  /// - Throws: `DecodingError.keyNotFound` if the object has no such member.
  func member(_ key: any CodingKey) throws -> Self
  /// The number of elements of an array.
  var elementCount: Int { get }
  func element(_ index: Int) throws -> Self
  /// - Returns: nil for null.
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value?
}

/// The form of a value with parts.
enum TreeForm {
  /// An object whose members have these keys.
  case object(any CodingKey.Type)
  case array
}

/// A name or an index in the path of a value.
struct TreeKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }

  /// The key of the part that a superclass reads and writes.
  static let superclass = TreeKey(stringValue: "super")
}

extension TreeDecoder {
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try expect(.object(type))
    return KeyedDecodingContainer(TreeMembers(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try expect(.array)
    return TreeElements(decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

private struct TreeMembers<Source: TreeDecoder, Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: Source

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { decoder.memberNames.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { decoder.hasMember(key.stringValue) }

  func decodeNil(forKey key: Key) throws -> Bool { try !contains(key) || decoder.member(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder.member(key).decode(type)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    contains(key) ? try decoder.member(key).decodeIfPresent(type) : nil
  }

  func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
    try decoder.member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder.member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try decoder.member(TreeKey.superclass) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder.member(key) }
}

private struct TreeElements<Source: TreeDecoder>: UnkeyedDecodingContainer {
  let decoder: Source
  private(set) var currentIndex = 0

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.elementCount }
  var isAtEnd: Bool { currentIndex >= decoder.elementCount }

  private mutating func next<Result>(_ read: (Source) throws -> Result) throws -> Result {
    let result = try read(decoder.element(currentIndex))
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    let isNull = try decoder.element(currentIndex).decodeNil()
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

  mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try next { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
