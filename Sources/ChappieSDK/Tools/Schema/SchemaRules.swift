/// One parsed schema.
indirect enum SchemaNode: Sendable {
  /// `true` fits everything, `false` nothing.
  case always(Bool)
  case rules(SchemaRules)
}

/// The types of JSON Schema.
enum SchemaType: String, Sendable {
  case object, array, string, integer, number, boolean, null

  func includes(_ value: ChappieJSONValue) -> Bool {
    switch (self, value) {
    case (.object, .object), (.array, .array), (.string, .string), (.boolean, .bool), (.null, .null): true
    case (.number, .integer), (.number, .number), (.integer, .integer): true
    // 1.0 is an integer, and so is 1e300.
    case (.integer, .number(let number)): number.isFinite && number == number.rounded()
    default: false
    }
  }

  var phrase: String {
    switch self {
    case .object, .array, .integer: "an \(rawValue)"
    case .null: "null"
    default: "a \(rawValue)"
    }
  }
}

/// The keywords of one schema. A keyword that is nil or empty has no effect.
struct SchemaRules: Sendable {
  var types: [SchemaType] = []
  var reference: String?
  var choices: SchemaChoices?

  var minimum: Double?
  var maximum: Double?
  var exclusiveMinimum: Double?
  var exclusiveMaximum: Double?
  var multipleOf: Double?

  var lengths = SchemaRange()
  /// A valid pattern. It is compiled only during a check, because a compiled one takes more memory than the schema.
  var pattern: String?

  var prefixItems: [SchemaNode] = []
  var items: SchemaNode?
  var itemCounts = SchemaRange()

  var properties: [String: SchemaNode] = [:]
  var additionalProperties: SchemaNode?
  var required: [String] = []
  /// The cost of looking up these keywords, in steps of a check.
  var weight = 0

  var allOf: [SchemaNode] = []
  var anyOf: [SchemaNode] = []
  var oneOf: [SchemaNode] = []
}

/// The values of which one is required.
struct SchemaChoices: Sendable {
  let list: [ChappieJSONValue]
  private let set: Set<ChappieJSONValue>

  init(_ list: [ChappieJSONValue]) {
    self.list = list
    set = Set(list)
  }

  func contains(_ value: ChappieJSONValue) -> Bool { set.contains(value) }
}

/// Limits of a count.
struct SchemaRange: Sendable {
  var least = 0
  var most: Int?

  func problem(_ count: Int, of things: String) -> String? {
    if count < least { return "must have at least \(least) \(things)" }
    if let most, count > most { return "must have at most \(most) \(things)" }
    return nil
  }
}

extension SchemaRules {
  func numberProblem(_ value: ChappieJSONValue) -> String? {
    guard let number = value.numberValue else { return nil }
    if let minimum, number < minimum { return "must be at least \(minimum.shown)" }
    if let maximum, number > maximum { return "must be at most \(maximum.shown)" }
    if let exclusiveMinimum, number <= exclusiveMinimum { return "must be above \(exclusiveMinimum.shown)" }
    if let exclusiveMaximum, number >= exclusiveMaximum { return "must be below \(exclusiveMaximum.shown)" }
    if let multipleOf, !number.isMultiple(of: multipleOf) { return "must be a multiple of \(multipleOf.shown)" }
    return nil
  }
}

extension Double {
  /// Integers are shown without a fraction.
  fileprivate var shown: String {
    Int64(exactly: self).map { "\($0)" } ?? "\(self)"
  }

  /// By decimal value: 0.3 is a multiple of 0.1, although the nearest binary fractions are not.
  fileprivate func isMultiple(of divisor: Double) -> Bool {
    let quotient = self / divisor
    return abs(quotient - quotient.rounded()) <= 1e-9 * max(1, abs(quotient))
  }
}
