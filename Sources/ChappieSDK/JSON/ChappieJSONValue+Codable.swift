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

extension ChappieJSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
  /// If a key is repeated, the last value counts.
  public init(dictionaryLiteral elements: (String, ChappieJSONValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }

  public init(arrayLiteral elements: ChappieJSONValue...) {
    self = .array(elements)
  }
}

extension ChappieJSONValue: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral {
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }
}

extension ChappieJSONValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
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
