import GLibBridge

/// Reads schemas, and remembers what they refer to.
struct SchemaReader {
  /// What was referred to and is not read yet.
  private var pending: [String] = []
  private var known: Set<String> = []
  private var depth = 0
  private var count = 0
  private var patterns = 0

  private static let depthLimit = 256
  private static let patternLimit = 256

  // MARK: References

  /// Reads everything that was referred to, also by what is read here.
  mutating func resolve(in root: ChappieJSONValue) throws(SchemaError) -> [String: SchemaNode] {
    var definitions: [String: SchemaNode] = [:]
    while let reference = pending.popLast() {
      guard let schema = Self.target(of: reference, in: root) else {
        throw SchemaError(.root("$ref"), "'\(Redaction.message(reference))' refers to nothing in this schema")
      }
      definitions[reference] = try node(schema, at: .root(reference))
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

  mutating func node(_ schema: ChappieJSONValue, at place: SchemaPlace) throws(SchemaError) -> SchemaNode {
    count += 1
    // What many references name is read for each of their spellings.
    guard count <= JSONSchema.valueLimit else { throw SchemaError(place, "is one schema too many") }
    if case .bool(let verdict) = schema { return .always(verdict) }
    guard case .object(let keywords) = schema else { throw SchemaError(place, "must be an object, true or false") }
    guard depth < Self.depthLimit else { throw SchemaError(place, "is nested too deep") }
    depth += 1
    defer { depth -= 1 }

    let keyword = SchemaKeywords(keywords, place)
    var rules = SchemaRules()
    rules.types = try keyword.types()
    rules.choices = try keyword.choices()
    rules.reference = try keyword.string("$ref")
    if let reference = rules.reference, known.insert(reference).inserted { pending.append(reference) }

    rules.minimum = try keyword.number("minimum")
    rules.maximum = try keyword.number("maximum")
    rules.exclusiveMinimum = try keyword.number("exclusiveMinimum")
    rules.exclusiveMaximum = try keyword.number("exclusiveMaximum")
    rules.multipleOf = try keyword.positive("multipleOf")

    rules.lengths = try keyword.range("minLength", "maxLength")
    rules.pattern = try keyword.pattern()
    if rules.pattern != nil { patterns += 1 }
    guard patterns <= Self.patternLimit else { throw SchemaError(place, "has one pattern too many") }

    rules.prefixItems = try list("prefixItems", in: keyword)
    rules.items = try one("items", in: keyword)
    rules.itemCounts = try keyword.range("minItems", "maxItems")
    rules.uniqueItems = try keyword.bool("uniqueItems")

    rules.properties = try map("properties", in: keyword)
    rules.additionalProperties = try one("additionalProperties", in: keyword)
    rules.required = try keyword.strings("required")
    rules.propertyCounts = try keyword.range("minProperties", "maxProperties")

    rules.allOf = try list("allOf", in: keyword)
    rules.anyOf = try list("anyOf", in: keyword)
    rules.oneOf = try list("oneOf", in: keyword)
    rules.not = try one("not", in: keyword)
    let lookups = rules.required.reduce(rules.reference?.utf8.count ?? 0) { $0 + $1.utf8.count }
    rules.weight = rules.required.count + lookups / SchemaCheck.bytesPerStep
    return .rules(rules)
  }

  // MARK: Schemas within

  private mutating func one(_ name: String, in keyword: SchemaKeywords) throws(SchemaError) -> SchemaNode? {
    guard let schema = keyword[name] else { return nil }
    return try node(schema, at: keyword.place(name))
  }

  private mutating func list(_ name: String, in keyword: SchemaKeywords) throws(SchemaError) -> [SchemaNode] {
    var nodes: [SchemaNode] = []
    for (index, schema) in try keyword.array(name).enumerated() {
      nodes.append(try node(schema, at: keyword.place(name).appending("\(index)")))
    }
    return nodes
  }

  private mutating func map(_ name: String, in keyword: SchemaKeywords) throws(SchemaError) -> [String: SchemaNode] {
    var nodes: [String: SchemaNode] = [:]
    for (key, schema) in try keyword.object(name) {
      nodes[key] = try node(schema, at: keyword.place(name).appending(key))
    }
    return nodes
  }
}
