// SPDX-License-Identifier: Apache-2.0

extension ChappieJSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let elements = try? container.decode([ChappieJSONValue].self) {
      self = .array(elements)
    } else {
      self = .object(try container.decode([String: ChappieJSONValue].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .object(let members): try container.encode(members)
    case .array(let elements): try container.encode(elements)
    case .string(let text): try container.encode(text)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .bool(let value): try container.encode(value)
    case .null: try container.encodeNil()
    }
  }
}

extension ChappieJSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral
{
  /// If a key is repeated, the last value counts.
  public init(dictionaryLiteral elements: (String, ChappieJSONValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }

  public init(arrayLiteral elements: ChappieJSONValue...) {
    self = .array(elements)
  }

  public init(stringLiteral value: String) {
    self = .string(value)
  }

  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }

  package init(_ number: Int) {
    self = .integer(Int64(number))
  }

  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }

  public init(floatLiteral value: Double) {
    self = .number(value)
  }
}

/// A type that every coder reads and writes through ``ChappieJSONValue``: harnesses, manifests, messages, threads.
package protocol JSONCodable: Codable {
  init(jsonValue json: ChappieJSONValue) throws(ChappieClientError)
  var jsonValue: ChappieJSONValue { get }
}

/// A type that is an object in JSON.
package protocol JSONRecord: JSONCodable {
  /// The subject of errors about the fields, such as "the harness".
  static var subject: String { get }
  init(_ fields: JSONFields) throws(ChappieClientError)
}

extension JSONRecord {
  package init(jsonValue json: ChappieJSONValue) throws(ChappieClientError) {
    try self.init(JSONFields(json, of: Self.subject))
  }
}

extension JSONCodable {
  /// - Throws: `DecodingError`, which names the missing or wrong field.
  public init(from decoder: any Decoder) throws {
    do {
      try self.init(jsonValue: ChappieJSONValue(from: decoder))
    } catch let error as ChappieClientError {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: error.description))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    try jsonValue.encode(to: encoder)
  }
}

extension ChappieJSONValue {
  /// Parses JSON text. Escapes for U+0000 and for unpaired surrogates become U+FFFD.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for text that is not JSON, is nested deeper than 256 levels, or
  ///   has an object with a name twice, also with a composed and a decomposed letter: parsers differ in their reading.
  public init(json: String) throws(ChappieClientError) {
    do {
      try self.init(parsing: json.utf8.span)
    } catch {
      throw .invalidArgument("The text is no JSON, is nested too deep, or has a name twice in an object.")
    }
  }

  /// The JSON text of this value on one line, with keys in alphabetical order. A number that JSON cannot express, such
  /// as infinity, becomes null. U+0000 in a string becomes U+FFFD.
  public var json: String {
    String(decoding: encoded, as: UTF8.self)
  }

  /// ``json`` as UTF-8.
  package var encoded: [UInt8] { encoded(byRequired: false) }

  /// - Parameter byRequired: whether the properties of a JSON Schema come in the order of its `required`.
  func encoded(byRequired: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    write(into: &bytes, byRequired)
    return bytes
  }

  /// Writes this value by RFC 8259.
  ///
  /// JSON-GLib is not suitable: it writes `4e53` as `4e+53.0`, which is not a number, and U+001F in an unreadable form.
  ///
  /// - Parameter first: the names of the members that come first.
  private func write(into bytes: inout [UInt8], _ byRequired: Bool, first: [ChappieJSONValue] = []) {
    switch self {
    case .object(let members):
      bytes.append(.openBrace)
      let required = byRequired ? members["required"]?.arrayValue ?? [] : []
      for (index, member) in Self.sorted(members, first: first).enumerated() {
        if index > 0 { bytes.append(.comma) }
        Self.encode(Substring(member.key).utf8, into: &bytes)
        bytes.append(.colon)
        member.value.write(into: &bytes, byRequired, first: member.key == "properties" ? required : [])
      }
      bytes.append(.closeBrace)
    case .array(let elements):
      bytes.append(.openBracket)
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(.comma) }
        element.write(into: &bytes, byRequired)
      }
      bytes.append(.closeBracket)
    case .string(let text): Self.encode(Substring(text).utf8, into: &bytes)
    case .integer(let number): bytes += "\(number)".utf8
    // JSON has no infinite numbers.
    case .number(let number): bytes += (number.isFinite ? "\(number)" : "null").utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .null: bytes += "null".utf8
    }
  }

  private static func sorted(
    _ members: [String: ChappieJSONValue], first names: [ChappieJSONValue]
  ) -> [(key: String, value: ChappieJSONValue)] {
    guard !names.isEmpty else { return members.sorted { $0.key < $1.key } }
    let places = Dictionary(zip(names, names.indices)) { earlier, _ in earlier }
    func place(_ name: String) -> (Int, String) { (places[.string(name)] ?? .max, name) }
    return members.sorted { place($0.key) < place($1.key) }
  }

  /// Appends `text` as a JSON string.
  package static func encode(_ text: Substring.UTF8View, into bytes: inout [UInt8]) {
    bytes.append(.quote)
    let text = text.span
    for index in text.indices {
      let byte = text[index]
      switch byte {
      case .quote, .backslash: bytes += [.backslash, byte]
      case .lineFeed: bytes += "\\n".utf8
      case .return: bytes += "\\r".utf8
      case .tab: bytes += "\\t".utf8
      case 0: bytes += UTF8.encodedReplacementCharacter
      case 1..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(.quote)
  }

  /// The deepest nesting of values, in levels.
  package static let depthLimit = 256
  /// The most values in one text, because each takes more memory than its text.
  package static let valueLimit = 1_000_000

  package init(parsing json: borrowing Span<UInt8>, valueLimit: Int = Self.valueLimit) throws(JSONProblem) {
    self = try JSONReader.read(json, valueLimit: valueLimit)
  }
}
