/// The member `text` of a request for an answer that is JSON of a schema.
enum OutputFormat {
  static func json(_ schema: ChappieJSONValue) -> ChappieJSONValue {
    [
      "format": [
        "type": "json_schema", "name": "codex_output_schema", "strict": .bool(isStrict(schema)), "schema": schema,
      ]
    ]
  }

  /// The keywords that the backend enforces.
  private static let keywords: Set<String> = [
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs",
    "definitions", "title", "description",
  ]

  /// Whether the backend accepts the schema as a strict one, which it enforces. It refuses the others as strict ones:
  /// those with other keywords, and those with objects that may lack a property or have one more.
  private static func isStrict(_ schema: ChappieJSONValue) -> Bool {
    schema["type"] == "object" && isEnforced(schema)
  }

  private static func isEnforced(_ schema: ChappieJSONValue) -> Bool {
    guard let members = schema.objectValue, members.keys.allSatisfy(keywords.contains) else { return false }
    let properties = members["properties"]?.objectValue ?? [:]
    if members["type"] == "object" || members["properties"] != nil {
      let required = (members["required"]?.arrayValue ?? []).compactMap(\.stringValue)
      guard members["additionalProperties"] == false, Set(required) == Set(properties.keys) else { return false }
    }
    let definitions = ["$defs", "definitions"].flatMap { (members[$0]?.objectValue ?? [:]).values }
    let parts = properties.values + definitions + [members["items"]].compactMap(\.self)
    return (parts + (members["anyOf"]?.arrayValue ?? [])).allSatisfy(isEnforced)
  }
}
