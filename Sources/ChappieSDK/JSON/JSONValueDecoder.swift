// SPDX-License-Identifier: Apache-2.0

extension ChappieJSONValue {
  /// Reads a value of a type from this JSON.
  ///
  /// Names are those of the `CodingKeys`. With the trait `FoundationTypes`, a `Date` is a text of RFC 3339 and a `URL`
  /// is a text.
  ///
  /// - Throws: `DecodingError`, which names the missing or wrong part.
  public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try JSONValueDecoder(json: self, codingPath: []).decode(type)
  }
}

private struct JSONValueDecoder: TreeDecoder {
  let json: ChappieJSONValue
  let codingPath: [any CodingKey]

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let found: Any?
    let form: String
    switch type {
    case is Bool.Type: (found, form) = (json.boolValue, "true or false")
    case is String.Type: (found, form) = (json.stringValue, "a string")
    case let type as any FixedWidthInteger.Type: (found, form) = (integer(type), "a whole number that fits \(type)")
    case let type as any BinaryFloatingPoint.Type: (found, form) = (number(type), "a number that fits \(type)")
    case _ where FoundationText.includes(type):
      (found, form) = (json.stringValue.flatMap { FoundationText.value(of: type, $0) }, "a text of a \(type)")
    default: return try Value(from: self)
    }
    guard let value = found as? Value else { throw mismatch(type, form) }
    return value
  }

  private func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    switch json {
    case .integer(let number): Number(exactly: number)
    case .number(let number): Number(exactly: number)
    default: nil
    }
  }

  private func number<Number: BinaryFloatingPoint>(_ type: Number.Type) -> Number? {
    switch json {
    case .integer(let number): Number(number)
    case .number(let number) where Number(number).isFinite == number.isFinite: Number(number)
    default: nil
    }
  }

  private func mismatch(_ type: any Any.Type, _ form: String) -> DecodingError {
    .typeMismatch(type, DecodingError.Context(codingPath: codingPath, debugDescription: "must be \(form)"))
  }

  func decodeNil() -> Bool { json.isNull }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? { json.isNull ? nil : try decode(type) }

  // MARK: Parts

  func expect(_ form: TreeForm) throws {
    switch (form, json) {
    case (.object, .object), (.array, .array): break
    case (.object, _): throw mismatch([String: ChappieJSONValue].self, "an object")
    case (.array, _): throw mismatch([ChappieJSONValue].self, "an array")
    }
  }

  var memberNames: [String] { (json.objectValue ?? [:]).keys.sorted() }

  func hasMember(_ name: String) -> Bool { json[name] != nil }

  func member(_ key: any CodingKey) throws -> JSONValueDecoder {
    guard let value = json[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "must have the property '\(key.stringValue)'"))
    }
    return JSONValueDecoder(json: value, codingPath: codingPath + [key])
  }

  var elementCount: Int { json.arrayValue?.count ?? 0 }

  func element(_ index: Int) throws -> JSONValueDecoder {
    let path = codingPath + [TreeKey(intValue: index)]
    guard let value = json[index] else {
      throw DecodingError.valueNotFound(
        ChappieJSONValue.self, DecodingError.Context(codingPath: path, debugDescription: "must be there"))
    }
    return JSONValueDecoder(json: value, codingPath: path)
  }
}

extension Error {
  /// The place and the problem of an error of decoding: `recipe.steps[0].kind: must be a string`. The model may have
  /// written a part of it, so it is cut.
  ///
  /// - Parameter root: the name of the whole value.
  func sentence(of root: String) -> String {
    switch self as? DecodingError {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      let path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
      return Redaction.message("\(root)\(path.joined()): \(context.debugDescription.withoutFullStop)")
    default: return Redaction.message("\(root): \(sentence.withoutFullStop)")
    }
  }
}
