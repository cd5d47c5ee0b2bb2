import GLibBridge

extension ChappieJSONValue {
  /// Reads JSON text.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for text that is no JSON, or nested deeper than 256.
  public init(json: String) throws(ChappieClientError) {
    do {
      self.init(try JSON(parsing: Array(json.utf8)))
    } catch {
      throw .invalidArgument("The text is no JSON, or is nested too deep.")
    }
  }

  /// The JSON text of this value on one line, its keys in alphabetical order. A number that JSON cannot write (an
  /// infinite one) becomes null, and U+0000 in a text becomes U+FFFD.
  public var json: String {
    String(decoding: JSON(self).encoded, as: UTF8.self)
  }

  package init(_ json: JSON) {
    switch json {
    case .object(let members): self = .object(members.mapValues { ChappieJSONValue($0) })
    case .array(let elements): self = .array(elements.map { ChappieJSONValue($0) })
    case .string(let text): self = .string(text)
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .number(number)
    case .bool(let value): self = .bool(value)
    case .null: self = .null
    }
  }
}

extension JSON {
  package init(_ value: ChappieJSONValue) {
    switch value {
    case .object(let members): self = .object(members.mapValues { JSON($0) })
    case .array(let elements): self = .array(elements.map { JSON($0) })
    case .string(let text): self = .string(text)
    case .integer(let number): self = .integer(number)
    case .number(let number): self = number.isFinite ? .double(number) : .null
    case .bool(let value): self = .bool(value)
    case .null: self = .null
    }
  }
}
