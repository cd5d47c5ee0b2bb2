// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// A tool, as its server lists it. All texts are the server's.
package struct MCPTool: Sendable, Hashable {
  /// What the server says of a tool. It may not be true.
  package struct Annotations: Sendable, Hashable {
    package let isReadOnly: Bool?
    package let isDestructive: Bool?
    package let isOpenWorld: Bool?

    init(_ json: ChappieJSONValue?) {
      isReadOnly = json?["readOnlyHint"]?.boolValue
      isDestructive = json?["destructiveHint"]?.boolValue
      isOpenWorld = json?["openWorldHint"]?.boolValue
    }
  }

  package let name: String
  package let title: String?
  /// Cleaned, and cut to 4 KiB.
  package let description: String
  /// The schema of the arguments, in the form that the models accept.
  package let inputSchema: ChappieJSONValue
  package let annotations: Annotations
  /// What an approval of the tool covers, as the server wrote it.
  package let pinned: ChappieJSONValue

  /// - Throws: ``ChappieMCPError/unusable(_:)``.
  package init(_ json: ChappieJSONValue) throws(ChappieMCPError) {
    guard let name = json["name"]?.stringValue, (1...128).contains(name.utf8.count),
      name.utf8.allSatisfy({ $0.isAlphanumeric || "_-./".utf8.contains($0) })
    else { throw .unusable("a tool has no usable name") }
    self.name = name
    title = json["title"]?.stringValue.map(ForeignText.line)
    description = ForeignText.clean(json["description"]?.stringValue ?? title ?? name)
    inputSchema = try Self.schema(json["inputSchema"] ?? [:], of: name)
    annotations = Annotations(json["annotations"])
    pinned = .object(
      ["name", "title", "description", "inputSchema", "outputSchema", "annotations"].reduce(into: [:]) {
        $0[$1] = json[$1]
      })
  }

  /// The deepest nesting of a schema.
  private static let depthLimit = 64
  /// Keywords whose members are schemas under names of the server's choice.
  private static let maps: Set<String> = [
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
  ]

  private static func schema(_ json: ChappieJSONValue, of name: String) throws(ChappieMCPError) -> ChappieJSONValue {
    guard case .object(var members) = try accepted(json, depth: 0, of: name), members["type"] ?? "object" == "object"
    else { throw .unusable("the tool '\(name)' has no schema of an object") }
    members["type"] = "object"
    if members["properties"]?.objectValue == nil { members["properties"] = [:] }
    return .object(members)
  }

  /// `schema` without what the models do not accept: `$schema` and `const`, which becomes an `enum` of one value.
  private static func accepted(
    _ schema: ChappieJSONValue, depth: Int, of name: String
  ) throws(ChappieMCPError) -> ChappieJSONValue {
    guard depth < depthLimit else { throw .unusable("the schema of the tool '\(name)' is nested too deep") }
    switch schema {
    case .array(let elements):
      return .array(
        try elements.map { (element) throws(ChappieMCPError) in try accepted(element, depth: depth + 1, of: name) })
    case .object(let members):
      var result: [String: ChappieJSONValue] = [:]
      for (key, value) in members where key != "$schema" {
        if key == "$ref" || key == "$dynamicRef", value.stringValue?.hasPrefix("#") != true {
          throw .unusable("the schema of the tool '\(name)' is not complete in itself")
        }
        switch (key, value) {
        case (_, .object(let named)) where maps.contains(key):
          result[key] = .object(try self.named(named, depth: depth + 1, of: name))
        case ("const", _): result["enum"] = [value]
        case ("enum", _), ("default", _), ("examples", _): result[key] = value
        case ("description", .string(let text)), ("title", .string(let text)):
          result[key] = .string(ForeignText.clean(text))
        default: result[key] = try accepted(value, depth: depth + 1, of: name)
        }
      }
      return .object(result)
    default: return schema
    }
  }

  /// Schemas by names that are no keywords.
  private static func named(
    _ schemas: [String: ChappieJSONValue], depth: Int, of name: String
  ) throws(ChappieMCPError) -> [String: ChappieJSONValue] {
    var result: [String: ChappieJSONValue] = [:]
    for (key, schema) in schemas {
      guard ForeignText.clean(key) == key else {
        throw .unusable("the schema of the tool '\(name)' has a name with invisible characters")
      }
      result[key] = try accepted(schema, depth: depth, of: name)
    }
    return result
  }
}

/// What a server says of itself, and its tools.
package struct MCPListing: Sendable, Hashable {
  package let serverName: String
  package let serverVersion: String
  /// The revision of the protocol that it speaks.
  package let revision: String
  /// Advice of the server for the model. The user sees and approves it, and the model does not get it.
  package let instructions: String?
  package let tools: [MCPTool]
}
