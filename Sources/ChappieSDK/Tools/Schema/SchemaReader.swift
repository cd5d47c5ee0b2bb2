/// Parses schemas, and collects their references.
struct SchemaReader {
  /// References that are not parsed yet.
  private var pending: [String] = []
  private var known: Set<String> = []
  private var depth = 0
  private var count = 0
  private var patterns = 0
  /// The place and keywords of the current schema.
  private(set) var path = SchemaPath(root: "#")
  private(set) var keywords: [String: ChappieJSONValue] = [:]

  private let refusesUnknown: Bool

  private static let depthLimit = 256
  private static let patternLimit = 256
  /// The keywords that are read below, and those that only describe.
  private static let keywordNames: Set<String> = [
    "type", "enum", "const", "$ref", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "prefixItems", "items", "minItems", "maxItems", "properties",
    "additionalProperties", "required", "allOf", "anyOf", "oneOf",
    "$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples", "deprecated",
    "readOnly", "writeOnly", "format",
  ]

  init(refusesUnknown: Bool = false) {
    self.refusesUnknown = refusesUnknown
  }

  // MARK: References

  /// Parses all referenced schemas, including their own references.
  mutating func resolve(in root: ChappieJSONValue) throws(SchemaError) -> [String: SchemaNode] {
    var definitions: [String: SchemaNode] = [:]
    while let reference = pending.popLast() {
      guard let schema = Self.target(of: reference, in: root) else {
        throw SchemaError(
          SchemaPath(root: "$ref"), "'\(Redaction.message(reference))' refers to nothing in this schema")
      }
      path = SchemaPath(root: reference)
      definitions[reference] = try node(schema)
    }
    return definitions
  }

  private static func target(of reference: String, in root: ChappieJSONValue) -> ChappieJSONValue? {
    if reference == "#" { return root }
    for keyword in ["$defs", "definitions"] where reference.hasPrefix("#/\(keyword)/") {
      let name = reference.dropFirst(keyword.count + 3)
      return root[keyword]?[SchemaPath.unescaped(name)]
    }
    return nil
  }

  // MARK: One schema

  mutating func node(_ schema: ChappieJSONValue) throws(SchemaError) -> SchemaNode {
    count += 1
    // A schema is parsed once for each spelling of a reference to it.
    guard count <= JSONSchema.valueLimit else { throw SchemaError(path, "is one schema too many") }
    if case .bool(let verdict) = schema { return .always(verdict) }
    guard case .object(let members) = schema else { throw SchemaError(path, "must be an object, true or false") }
    guard depth < Self.depthLimit else { throw SchemaError(path, "is nested too deep") }
    depth += 1
    let outer = keywords
    keywords = members
    defer {
      depth -= 1
      keywords = outer
    }
    return .rules(try rules())
  }

  private mutating func rules() throws(SchemaError) -> SchemaRules {
    if refusesUnknown, let name = keywords.keys.sorted().first(where: { !Self.keywordNames.contains($0) }) {
      path.enter(.key(name))
      throw SchemaError(path, "is a keyword that is not checked")
    }
    var rules = SchemaRules()
    rules.types = try types()
    rules.choices = try choices()
    rules.reference = try string("$ref")
    if let reference = rules.reference, known.insert(reference).inserted { pending.append(reference) }

    rules.minimum = try number("minimum")
    rules.maximum = try number("maximum")
    rules.exclusiveMinimum = try number("exclusiveMinimum")
    rules.exclusiveMaximum = try number("exclusiveMaximum")
    rules.multipleOf = try positive("multipleOf")

    rules.lengths = try range("minLength", "maxLength")
    rules.pattern = try pattern()
    if rules.pattern != nil { patterns += 1 }
    guard patterns <= Self.patternLimit else { throw SchemaError(path, "has one pattern too many") }

    rules.prefixItems = try list("prefixItems")
    rules.items = try one("items")
    rules.itemCounts = try range("minItems", "maxItems")

    rules.properties = try map("properties")
    rules.additionalProperties = try one("additionalProperties")
    rules.required = try strings("required")

    rules.allOf = try list("allOf")
    rules.anyOf = try list("anyOf")
    rules.oneOf = try list("oneOf")
    let lookups = rules.required.reduce(rules.reference?.utf8.count ?? 0) { $0 + $1.utf8.count }
    rules.weight = rules.required.count + lookups / SchemaCheck.bytesPerStep
    return rules
  }

  // MARK: Subschemas

  private mutating func one(_ name: String) throws(SchemaError) -> SchemaNode? {
    guard let schema = keywords[name] else { return nil }
    return try node(schema, at: .key(name))
  }

  private mutating func list(_ name: String) throws(SchemaError) -> [SchemaNode] {
    var nodes: [SchemaNode] = []
    for (index, schema) in try array(name).enumerated() {
      nodes.append(try node(schema, at: .key(name), .index(index)))
    }
    return nodes
  }

  private mutating func map(_ name: String) throws(SchemaError) -> [String: SchemaNode] {
    var nodes: [String: SchemaNode] = [:]
    for (key, schema) in try object(name) { nodes[key] = try node(schema, at: .key(name), .key(key)) }
    return nodes
  }

  private mutating func node(
    _ schema: ChappieJSONValue, at steps: SchemaPath.Step...
  ) throws(SchemaError) -> SchemaNode {
    for step in steps { path.enter(step) }
    defer { for _ in steps { path.leave() } }
    return try node(schema)
  }
}
