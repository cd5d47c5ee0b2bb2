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
