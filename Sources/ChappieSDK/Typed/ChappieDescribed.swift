// SPDX-License-Identifier: Apache-2.0

/// A type that tells the model more about its fields than their names and types.
///
/// ```swift
/// struct Recipe: Decodable, ChappieDescribed {
///   let title: String
///   let minutes: Int
///
///   static let fieldDescriptions: [String: ChappieFieldDescription] = [
///     "title": "The usual name of the dish.",
///     "minutes": ChappieFieldDescription("The time at the stove.", minimum: 1, maximum: 600),
///   ]
/// }
/// ```
public protocol ChappieDescribed {
  /// What the model is told of each field, by the field's name in JSON, which is that of its coding key.
  static var fieldDescriptions: [String: ChappieFieldDescription] { get }
}

/// What the model is told of a field. The backend enforces the bounds; decoding does not check them.
///
/// In an array of texts or numbers, bounds of texts and numbers apply to each element.
public struct ChappieFieldDescription: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The meaning of the field; nil for a field whose name tells it.
  public var description: String?
  /// The smallest number.
  public var minimum: Double?
  /// The largest number.
  public var maximum: Double?
  /// The smallest number of elements in an array.
  public var minItems: Int?
  /// The largest number of elements in an array.
  public var maxItems: Int?
  /// A regular expression of JSON Schema that a text matches.
  public var pattern: String?
  /// The texts of which the field is one.
  public var anyOf: [String]?

  /// Creates a description. A bound that does not fit the field's type, or that no value meets, is an error when the
  /// schema is derived.
  public init(
    _ description: String? = nil, minimum: Double? = nil, maximum: Double? = nil, minItems: Int? = nil,
    maxItems: Int? = nil, pattern: String? = nil, anyOf: [String]? = nil
  ) {
    self.description = description
    self.minimum = minimum
    self.maximum = maximum
    self.minItems = minItems
    self.maxItems = maxItems
    self.pattern = pattern
    self.anyOf = anyOf
  }

  /// Creates a description without bounds.
  public init(stringLiteral description: String) {
    self.init(description)
  }

  /// Adds the bounds to the schema of the field, or of its elements.
  func apply(to schema: inout [String: ChappieJSONValue], at path: String) throws(ChappieSchemaError) {
    if let problem { throw ChappieSchemaError(path: path, problem: problem) }
    let keywords: [(name: String, value: ChappieJSONValue?, types: Set<ChappieJSONValue>)] = [
      ("minItems", minItems.map { ChappieJSONValue($0) }, ["array"]),
      ("maxItems", maxItems.map { ChappieJSONValue($0) }, ["array"]),
      ("minimum", minimum.map(Self.number), ["integer", "number"]),
      ("maximum", maximum.map(Self.number), ["integer", "number"]),
      ("pattern", pattern.map { .string($0) }, ["string"]),
      ("enum", anyOf.map { .array($0.map { .string($0) }) }, ["string"]),
    ]
    for keyword in keywords {
      guard let value = keyword.value else { continue }
      let items = schema["items"]?.objectValue ?? [:]
      if let type = schema["type"], keyword.types.contains(type) {
        schema[keyword.name] = value
      } else if let type = items["type"], keyword.types.contains(type) {
        schema["items"] = .object(items.merging([keyword.name: value]) { $1 })
      } else {
        throw ChappieSchemaError(
          path: path, problem: "the bound '\(keyword.name)' does not fit the field's type: remove it")
      }
    }
  }

  /// What makes the bounds impossible.
  private var problem: String? {
    if [minimum, maximum].contains(where: { $0?.isFinite == false }) { return "a bound must be a finite number" }
    if [minItems, maxItems].contains(where: { $0 ?? 0 < 0 }) { return "a number of elements must be 0 or more" }
    if let minimum, let maximum, minimum > maximum { return "the minimum must not be above the maximum" }
    if let minItems, let maxItems, minItems > maxItems { return "minItems must not be above maxItems" }
    return anyOf?.isEmpty == true ? "anyOf must have a text" : nil
  }

  private static func number(_ number: Double) -> ChappieJSONValue {
    Int64(exactly: number).map { .integer($0) } ?? .number(number)
  }
}
