/// Checks values against a JSON Schema with the keywords that tools and models use.
package struct JSONSchema: Sendable {
  /// The longest text of a schema, in bytes.
  package static let textLimit = 256 << 10
  /// The most JSON values in a schema.
  package static let valueLimit = 20_000
  /// The most JSON values in a call's arguments.
  package static let argumentLimit = 200_000

  private let root: SchemaNode
  private let definitions: [String: SchemaNode]

  /// - Parameter refusesUnknown: whether a keyword that is not checked is an error, unless it only describes.
  /// - Throws: ``SchemaError`` for a known keyword of a wrong form, an invalid regular expression, or a reference to a
  ///   missing schema.
  package init(_ schema: ChappieJSONValue, refusesUnknown: Bool = false) throws(SchemaError) {
    var reader = SchemaReader(refusesUnknown: refusesUnknown)
    root = try reader.node(schema)
    definitions = try reader.resolve(in: schema)
  }

  /// The first violation as a sentence that starts with its place, such as `/city: must be a string`; nil if `value`
  /// fits. The root's place is `/`. The check can take a second, so do not run it on the actor.
  package func violation(in value: ChappieJSONValue) -> String? {
    var check = SchemaCheck(definitions: definitions)
    return check.violation(of: root, in: value)
  }
}

/// An error in a schema.
package struct SchemaError: Error, Equatable, CustomStringConvertible {
  /// The place and the error, without a full stop.
  package let description: String

  init(_ path: SchemaPath, _ problem: String) {
    description = "\(path.text) \(problem)"
  }
}
