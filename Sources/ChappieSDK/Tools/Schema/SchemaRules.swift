/// One schema, read.
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

/// The keywords of one schema. What is nil or empty demands nothing.
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
  /// A pattern that was found right. It is compiled while it is needed: that takes more memory than the schema.
  var pattern: String?

  var prefixItems: [SchemaNode] = []
  var items: SchemaNode?
  var itemCounts = SchemaRange()

  var properties: [String: SchemaNode] = [:]
  var additionalProperties: SchemaNode?
  var required: [String] = []
  /// What looking up these keywords costs, in the steps of a check.
  var weight = 0

  var allOf: [SchemaNode] = []
  var anyOf: [SchemaNode] = []
  var oneOf: [SchemaNode] = []
}

/// The values of which one must be there.
struct SchemaChoices: Sendable {
  let list: [ChappieJSONValue]
  private let set: Set<ChappieJSONValue>

  init(_ list: [ChappieJSONValue]) {
    self.list = list
    set = Set(list)
  }

  func contains(_ value: ChappieJSONValue) -> Bool { set.contains(value) }
}

/// How many there may be of something.
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
  /// Whole numbers without a fraction.
  fileprivate var shown: String {
    Int64(exactly: self).map { "\($0)" } ?? "\(self)"
  }

  /// 0.3 is a multiple of 0.1, though not of the binary fraction next to it.
  fileprivate func isMultiple(of divisor: Double) -> Bool {
    let quotient = self / divisor
    return abs(quotient - quotient.rounded()) <= 1e-9 * max(1, abs(quotient))
  }
}
