// SPDX-License-Identifier: Apache-2.0
#if FoundationTypes
  import FoundationEssentials
#endif

/// The JSON Schema of an answer, or of a tool's arguments.
///
/// `ChappieSchema.of(_:)` derives it from a type, and `init(_:)` takes one that you wrote.
public struct ChappieSchema: Sendable, Hashable {
  /// The schema as JSON.
  public var json: ChappieJSONValue

  /// Creates a schema from its JSON, which is not checked.
  public init(_ json: ChappieJSONValue) {
    self.json = json
  }

  /// Whether the backend accepts the schema as a strict one, which it enforces. It refuses the others as strict ones:
  /// those with other keywords, and those with objects that may lack a property or have one more.
  public var isStrict: Bool { json["type"] == "object" && Self.isStrict(json) }

  /// The keywords that the backend enforces.
  private static let keywords: Set<String> = [
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs",
    "definitions", "title", "description", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "minItems", "maxItems",
  ]
  /// A part of a schema has one of these.
  private static let forms: Set<String> = ["type", "$ref", "anyOf", "enum", "const"]
  private static let formats: Set<ChappieJSONValue> = [
    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
  ]

  private static func isStrict(_ schema: ChappieJSONValue) -> Bool {
    guard let members = schema.objectValue, members.keys.allSatisfy(keywords.contains),
      members.keys.contains(where: forms.contains)
    else { return false }
    if let format = members["format"], !formats.contains(format) { return false }
    let properties = members["properties"]?.objectValue ?? [:]
    let types = members["type"]?.arrayValue ?? [members["type"] ?? .null]
    if types.contains("object") || members["properties"] != nil {
      let required = (members["required"]?.arrayValue ?? []).compactMap(\.stringValue)
      guard members["additionalProperties"] == false, Set(required) == Set(properties.keys) else { return false }
    }
    let definitions = ["$defs", "definitions"].flatMap { (members[$0]?.objectValue ?? [:]).values }
    let parts = properties.values + definitions + [members["items"]].compactMap(\.self)
    return (parts + (members["anyOf"]?.arrayValue ?? [])).allSatisfy(isStrict)
  }
}

/// The reason why a type has no strict schema.
public struct ChappieSchemaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The field, as its path from the type: `recipe.steps[].kind`.
  public let path: String
  /// The problem and its remedy, without a full stop.
  public let problem: String

  /// The path and the problem.
  public var description: String { "\(path): \(problem)" }

  /// Creates an error, such as for a schema that a library of yours derives.
  public init(path: String, problem: String) {
    self.path = path
    self.problem = problem
  }
}

#if FoundationTypes
  extension ChappieSchemaError: LocalizedError {
    /// Same as ``description``, also as `localizedDescription`.
    public var errorDescription: String? { description }
  }
#endif
