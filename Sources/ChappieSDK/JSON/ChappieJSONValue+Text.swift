// SPDX-License-Identifier: Apache-2.0
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
  package var encoded: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }

  /// Appends `text` as a JSON string.
  package static func encode(_ text: Substring.UTF8View, into bytes: inout [UInt8]) {
    JSONWriter.write(text, into: &bytes)
  }

  /// The deepest nesting of values, in levels.
  package static let depthLimit = 256
  /// The most values in one text, because each takes more memory than its text.
  package static let valueLimit = 1_000_000

  package init(parsing json: borrowing Span<UInt8>, valueLimit: Int = Self.valueLimit) throws(JSONProblem) {
    self = try JSONReader.read(json, valueLimit: valueLimit)
  }
}
