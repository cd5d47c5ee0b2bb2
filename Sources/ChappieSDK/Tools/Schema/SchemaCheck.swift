import GLibBridge

/// The check of one value against one schema.
///
/// Schemas can refer to themselves, and some take exponential work. Therefore each step is charged by the size of its
/// data, and the check gives up when its budget is spent.
struct SchemaCheck {
  /// The bytes of text that cost as much as one step.
  static let bytesPerStep = 16
  static let stepLimit = 500_000
  private static let depthLimit = 600
  /// The most compiled patterns that a check caches.
  private static let patternLimit = 16

  /// A violation. Within alternatives it has no text: a text for each alternative would cost more than the check.
  private enum Violation {
    case told(String)
    case untold
  }

  private enum Telling {
    case first
    /// Within `anyOf` and `oneOf`.
    case nothing
  }

  private let definitions: [String: SchemaNode]
  private var path = SchemaPath()
  private var telling = Telling.first
  private(set) var steps = 0
  private var depth = 0
  /// The processor time limit of all patterns together.
  private var patternTime = Duration.seconds(1)
  private var patterns: [String: BoundedPattern] = [:]
  /// The reason why this check gave up. It counts as a violation in every schema, also under `oneOf`.
  private var surrender: String?

  init(definitions: [String: SchemaNode]) {
    self.definitions = definitions
  }

  mutating func violation(of schema: SchemaNode, in value: ChappieJSONValue) -> String? {
    let violation = first(schema, value)
    if let surrender { return surrender }
    guard case .told(let text) = violation else { return nil }
    return text
  }

  // MARK: One schema

  private mutating func first(_ schema: SchemaNode, _ value: ChappieJSONValue) -> Violation? {
    guard charge(1) else { return .untold }
    switch schema {
    case .always(let verdict): return verdict ? nil : problem("is not allowed")
    case .rules(let rules):
      guard depth < Self.depthLimit else { return giveUp("is nested too deep to be checked") }
      depth += 1
      defer { depth -= 1 }
      return first(rules, value)
    }
  }

  private mutating func first(_ rules: SchemaRules, _ value: ChappieJSONValue) -> Violation? {
    guard charge(rules.weight) else { return .untold }
    if let violation = typeViolation(rules, value) ?? choiceViolation(rules, value) { return violation }
    if let reference = rules.reference, let schema = definitions[reference], let violation = first(schema, value) {
      return violation
    }
    let violation: Violation? =
      switch value {
      case .object(let members): objectViolation(rules, members)
      case .array(let elements): arrayViolation(rules, elements)
      case .string(let text): textViolation(rules, text)
      case .integer, .number: rules.numberProblem(value).map { problem($0) }
      case .bool, .null: nil
      }
    return violation ?? combinedViolation(rules, value)
  }

  // MARK: Kinds of values

  private func typeViolation(_ rules: SchemaRules, _ value: ChappieJSONValue) -> Violation? {
    guard !rules.types.isEmpty, !rules.types.contains(where: { $0.includes(value) }) else { return nil }
    return problem("must be " + rules.types.map(\.phrase).joined(separator: " or "))
  }

  private mutating func choiceViolation(_ rules: SchemaRules, _ value: ChappieJSONValue) -> Violation? {
    guard let choices = rules.choices else { return nil }
    guard chargeWhole(value) else { return .untold }
    return choices.contains(value) ? nil : problem(Self.phrase(choices.list))
  }

  private static func phrase(_ choices: [ChappieJSONValue]) -> String {
    let shown = choices.prefix(20).map { SchemaPath.shown($0.json) }.joined(separator: ", ")
    return choices.count == 1 ? "must be \(shown)" : "must be one of \(shown)" + (choices.count > 20 ? ", …" : "")
  }

  private mutating func textViolation(_ rules: SchemaRules, _ text: String) -> Violation? {
    // JSON Schema counts code points.
    if rules.lengths.least > 0 || rules.lengths.most != nil {
      guard charge(bytes: text.utf8.count) else { return .untold }
      if let violation = rules.lengths.problem(text.unicodeScalars.count, of: "characters") {
        return problem(violation)
      }
    }
    guard let pattern = rules.pattern else { return nil }
    guard charge(bytes: text.utf8.count) else { return .untold }
    guard let isFound = try? compiled(pattern).matches(text, within: &patternTime) else {
      return giveUp("takes too long to be held against its pattern")
    }
    return isFound ? nil : problem("must match the pattern of its schema")
  }

  private mutating func compiled(_ text: String) throws -> BoundedPattern {
    if let pattern = patterns[text] { return pattern }
    let start = ThreadCPUTime.now
    defer { patternTime -= ThreadCPUTime.now - start }
    let pattern = try BoundedPattern(text)
    if patterns.count < Self.patternLimit { patterns[text] = pattern }
    return pattern
  }

  private mutating func arrayViolation(_ rules: SchemaRules, _ elements: [ChappieJSONValue]) -> Violation? {
    if let violation = rules.itemCounts.problem(elements.count, of: "items") { return problem(violation) }
    for (index, element) in elements.enumerated() {
      guard let schema = index < rules.prefixItems.count ? rules.prefixItems[index] : rules.items else { break }
      if let violation = first(schema, element, at: .index(index)) { return violation }
    }
    return nil
  }

  private mutating func objectViolation(_ rules: SchemaRules, _ members: [String: ChappieJSONValue]) -> Violation? {
    if let missing = rules.required.first(where: { members[bytesOf: $0] == nil }) {
      return problem("must have the property '\(SchemaPath.shown(missing))'")
    }
    guard !rules.properties.isEmpty || rules.additionalProperties != nil else { return nil }
    for key in members.keys { guard charge(bytes: key.utf8.count) else { return .untold } }
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      if let schema = rules.properties[bytesOf: key] {
        if let violation = first(schema, value, at: .key(key)) { return violation }
      } else if case .always(false) = rules.additionalProperties {
        return problem("must not have the property '\(SchemaPath.shown(key))'")
      } else if let schema = rules.additionalProperties, let violation = first(schema, value, at: .key(key)) {
        return violation
      }
    }
    return nil
  }

  private mutating func first(_ schema: SchemaNode, _ value: ChappieJSONValue, at step: SchemaPath.Step) -> Violation? {
    path.enter(step)
    defer { path.leave() }
    return first(schema, value)
  }

  // MARK: Combinations

  private mutating func combinedViolation(_ rules: SchemaRules, _ value: ChappieJSONValue) -> Violation? {
    for schema in rules.allOf {
      if let violation = first(schema, value) { return violation }
    }
    if !rules.anyOf.isEmpty, count(rules.anyOf, value, upTo: 1) == 0 {
      return problem("must fit at least one of \(rules.anyOf.count) alternatives")
    }
    if !rules.oneOf.isEmpty, count(rules.oneOf, value, upTo: 2) != 1 {
      return problem("must fit exactly one of \(rules.oneOf.count) alternatives")
    }
    return nil
  }

  /// The number of `schemas` that the value fits.
  private mutating func count(_ schemas: [SchemaNode], _ value: ChappieJSONValue, upTo limit: Int) -> Int {
    let outer = telling
    defer { telling = outer }
    telling = .nothing
    var fitting = 0
    for schema in schemas where fitting < limit && surrender == nil {
      if first(schema, value) == nil { fitting += 1 }
    }
    return fitting
  }

  // MARK: Violations and cost

  private func problem(_ text: @autoclosure () -> String) -> Violation {
    if case .first = telling { .told("\(path.text): \(text())") } else { .untold }
  }

  /// - Returns: false if the check has given up, now or earlier.
  private mutating func charge(_ cost: Int) -> Bool {
    steps += cost
    if steps > Self.stepLimit { _ = giveUp("takes too much work to be checked") }
    return surrender == nil
  }

  private mutating func charge(bytes count: Int) -> Bool {
    charge(1 + count / Self.bytesPerStep)
  }

  /// Charges for a whole value, because a comparison reads all of it.
  private mutating func chargeWhole(_ value: ChappieJSONValue) -> Bool {
    switch value {
    case .object(let members):
      for (key, member) in members { guard charge(bytes: key.utf8.count), chargeWhole(member) else { return false } }
    case .array(let elements):
      for element in elements { guard chargeWhole(element) else { return false } }
    case .string(let text): return charge(bytes: text.utf8.count)
    case .integer, .number, .bool, .null: break
    }
    return charge(1)
  }

  private mutating func giveUp(_ why: String) -> Violation {
    if surrender == nil { surrender = "\(path.text): \(why)" }
    return .untold
  }
}
