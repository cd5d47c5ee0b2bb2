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
