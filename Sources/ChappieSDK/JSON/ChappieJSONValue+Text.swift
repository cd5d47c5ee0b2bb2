extension ChappieJSONValue {
  /// Reads JSON text. Escapes for U+0000 and for half a surrogate pair are read as U+FFFD.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for text that is no JSON, or nested deeper than 256.
  public init(json: String) throws(ChappieClientError) {
    do {
      try self.init(parsing: json.utf8.span)
    } catch {
      throw .invalidArgument("The text is no JSON, or is nested too deep.")
    }
  }

  /// The JSON text of this value on one line, its keys in alphabetical order. A number that JSON cannot write (an
  /// infinite one) becomes null, and U+0000 in a text becomes U+FFFD.
  public var json: String {
    String(decoding: encoded, as: UTF8.self)
  }

  /// ``json`` as UTF-8.
  package var encoded: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }

  /// Values may be nested this deep.
  package static let depthLimit = 256
  /// The most values that one text may hold: each takes more memory than its text may.
  package static let valueLimit = 1_000_000

  package init(parsing json: borrowing Span<UInt8>, valueLimit: Int = Self.valueLimit) throws(JSONProblem) {
    self = try JSONReader.read(json, valueLimit: valueLimit)
  }
}
