// SPDX-License-Identifier: Apache-2.0

/// The schema of one value while it is being derived.
final class SchemaNode {
  enum Form {
    /// Nothing has been read yet.
    case open
    case scalar(type: String, format: String?)
    case choices([ChappieJSONValue])
    case array(SchemaNode)
    /// The members in the order in which the type reads them.
    case object([(name: String, node: SchemaNode)])
    /// The place of another schema, in which this one is contained.
    case reference(String)
  }

  /// The path of the field, for errors: `recipe.steps[].kind`.
  let path: String
  /// The number of objects around the value.
  let level: Int
  var form = Form.open
  /// Whether null stands for a missing value.
  var isOptional = false
  var notes = ChappieFieldDescription()
  /// The keys that the type has asked for, read or not.
  var askedNames: Set<String> = []

  init(path: String, level: Int, form: Form = .open) {
    self.path = path
    self.level = level
    self.form = form
  }

  func member(_ name: String) -> SchemaNode? {
    guard case .object(let members) = form else { return nil }
    return members.first { $0.name == name }?.node
  }

  func json() throws(ChappieSchemaError) -> ChappieJSONValue {
    var schema = try bareSchema()
    try notes.apply(to: &schema, at: path)
    if isOptional {
      if case .scalar(let type, _) = form, schema["enum"] == nil {
        schema["type"] = [.string(type), "null"]
      } else {
        schema = ["anyOf": [.object(schema), ["type": "null"]]]
      }
    }
    // A reference has no keywords beside it.
    if let description = notes.description, schema["$ref"] == nil { schema["description"] = .string(description) }
    return .object(schema)
  }

  private func bareSchema() throws(ChappieSchemaError) -> [String: ChappieJSONValue] {
    switch form {
    case .open: throw ChappieSchemaError(path: path, problem: "nothing is read here: its schema is not known")
    case .scalar(let type, nil): return ["type": .string(type)]
    case .scalar(let type, let format?): return ["type": .string(type), "format": .string(format)]
    case .choices(let values):
      let areTexts = values.allSatisfy { $0.stringValue != nil }
      let type: ChappieJSONValue = areTexts ? "string" : values.allSatisfy(\.isInteger) ? "integer" : "number"
      return ["type": type, "enum": .array(values)]
    case .array(let element): return ["type": "array", "items": try element.json()]
    case .reference(let place): return ["$ref": .string(place)]
    case .object(let members):
      var properties: [String: ChappieJSONValue] = [:]
      for member in members { properties[member.name] = try member.node.json() }
      return [
        "type": "object", "properties": .object(properties), "required": .array(members.map { .string($0.name) }),
        "additionalProperties": false,
      ]
    }
  }
}

extension ChappieJSONValue {
  fileprivate var isInteger: Bool {
    if case .integer = self { true } else { false }
  }
}
