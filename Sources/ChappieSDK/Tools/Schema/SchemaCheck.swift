import GLibBridge

/// One value held against one schema. What it costs is bounded: schemas can refer to themselves, and some take
/// exponential work.
struct SchemaCheck {
  private static let depthLimit = 600
  private static let stepLimit = 1_000_000
  private static let patternTimeLimit = Duration.seconds(1)

  private let definitions: [String: SchemaNode]
  private var steps = 0
  private var depth = 0
  private var patternTime = Duration.zero
  /// Why this check was given up. It counts as the violation, wherever the schema stands: under `not`, too.
  private var surrender: String?

  init(definitions: [String: SchemaNode]) {
    self.definitions = definitions
  }

  mutating func violation(of schema: SchemaNode, in value: ChappieJSONValue, at path: SchemaPath) -> String? {
    let violation = first(schema, value, path)
    return surrender ?? violation
  }

  // MARK: One schema

  private mutating func first(_ schema: SchemaNode, _ value: ChappieJSONValue, _ path: SchemaPath) -> String? {
    charge(1, path)
    guard surrender == nil else { return surrender }
    switch schema {
    case .always(let verdict): return verdict ? nil : "\(path.text): is not allowed"
    case .rules(let rules):
      guard depth < Self.depthLimit else { return giveUp("is nested too deep to be checked", path) }
      depth += 1
      defer { depth -= 1 }
      return first(rules, value, path)
    }
  }

  private mutating func first(_ rules: SchemaRules, _ value: ChappieJSONValue, _ path: SchemaPath) -> String? {
    if let problem = typeProblem(rules, value, path) { return "\(path.text): \(problem)" }
    if let reference = rules.reference, let schema = definitions[reference],
      let violation = first(schema, value, path)
    {
      return violation
    }
    let violation: String? =
      switch value {
      case .object(let members): objectViolation(rules, members, path)
      case .array(let elements): arrayViolation(rules, elements, path)
      case .string(let text): textProblem(rules, text, path).map { "\(path.text): \($0)" }
      case .integer, .number: rules.numberProblem(value).map { "\(path.text): \($0)" }
      case .bool, .null: nil
      }
    return violation ?? combinedViolation(rules, value, path)
  }

  // MARK: Kinds of values

  private mutating func typeProblem(_ rules: SchemaRules, _ value: ChappieJSONValue, _ path: SchemaPath) -> String? {
    if !rules.types.isEmpty, !rules.types.contains(where: { $0.includes(value) }) {
      return "must be " + rules.types.map(\.phrase).joined(separator: " or ")
    }
    guard let choices = rules.choices else { return nil }
    charge(choices.count, path)
    guard !choices.contains(value) else { return nil }
    let shown = choices.prefix(20).map { SchemaPath.shown($0.json) }.joined(separator: ", ")
    return choices.count == 1 ? "must be \(shown)" : "must be one of \(shown)" + (choices.count > 20 ? ", …" : "")
  }

  private mutating func textProblem(_ rules: SchemaRules, _ text: String, _ path: SchemaPath) -> String? {
    // JSON Schema counts code points.
    if let problem = rules.lengths.problem(text.unicodeScalars.count, of: "characters") { return problem }
    guard let pattern = rules.pattern else { return nil }
    let clock = ContinuousClock()
    let start = clock.now
    let matches = try? pattern.matches(text)
    patternTime += clock.now - start
    guard let matches, patternTime < Self.patternTimeLimit else {
      surrender = giveUp("takes too long to be held against its pattern", path)
      return surrender
    }
    return matches ? nil : "must match the pattern of its schema"
  }

  private mutating func arrayViolation(
    _ rules: SchemaRules, _ elements: [ChappieJSONValue], _ path: SchemaPath
  ) -> String? {
    if let problem = rules.itemCounts.problem(elements.count, of: "items") { return "\(path.text): \(problem)" }
    for (index, element) in elements.enumerated() {
      guard let schema = index < rules.prefixItems.count ? rules.prefixItems[index] : rules.items else { break }
      if let violation = first(schema, element, path.appending(index: index)) { return violation }
    }
    if rules.uniqueItems {
      charge(elements.count, path)
      if Set(elements).count < elements.count { return "\(path.text): must not have the same item twice" }
    }
    return nil
  }

  private mutating func objectViolation(
    _ rules: SchemaRules, _ members: [String: ChappieJSONValue], _ path: SchemaPath
  ) -> String? {
    if let missing = rules.required.first(where: { members[$0] == nil }) {
      return "\(path.text): must have the property '\(SchemaPath.shown(missing))'"
    }
    if let problem = rules.propertyCounts.problem(members.count, of: "properties") { return "\(path.text): \(problem)" }
    guard !rules.properties.isEmpty || rules.additionalProperties != nil else { return nil }
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      if let schema = rules.properties[key] {
        if let violation = first(schema, value, path.appending(key: key)) { return violation }
      } else if case .always(false) = rules.additionalProperties {
        return "\(path.text): must not have the property '\(SchemaPath.shown(key))'"
      } else if let schema = rules.additionalProperties,
        let violation = first(schema, value, path.appending(key: key))
      {
        return violation
      }
    }
    return nil
  }

  // MARK: Combinations

  private mutating func combinedViolation(
    _ rules: SchemaRules, _ value: ChappieJSONValue, _ path: SchemaPath
  ) -> String? {
    for schema in rules.allOf {
      if let violation = first(schema, value, path) { return violation }
    }
    if !rules.anyOf.isEmpty, count(rules.anyOf, value, path, upTo: 1) == 0 {
      return "\(path.text): must fit at least one of \(rules.anyOf.count) alternatives"
    }
    if !rules.oneOf.isEmpty, count(rules.oneOf, value, path, upTo: 2) != 1 {
      return "\(path.text): must fit exactly one of \(rules.oneOf.count) alternatives"
    }
    if let schema = rules.not, first(schema, value, path) == nil {
      return "\(path.text): must not be what 'not' of its schema describes"
    }
    return nil
  }

  /// How many of `schemas` the value fits.
  private mutating func count(
    _ schemas: [SchemaNode], _ value: ChappieJSONValue, _ path: SchemaPath, upTo limit: Int
  ) -> Int {
    var fitting = 0
    for schema in schemas where fitting < limit {
      if first(schema, value, path) == nil { fitting += 1 }
    }
    return fitting
  }

  // MARK: Cost

  private mutating func charge(_ cost: Int, _ path: SchemaPath) {
    steps += cost
    if steps > Self.stepLimit { _ = giveUp("takes too much work to be checked", path) }
  }

  private mutating func giveUp(_ why: String, _ path: SchemaPath) -> String {
    let reason = surrender ?? "\(path.text): \(why)"
    surrender = reason
    return reason
  }
}
