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

/// The keywords of one schema. A keyword that is nil, or an empty array or dictionary, has no effect. Limits are
/// inclusive unless their name says otherwise.
struct SchemaRules: Sendable {
  var types: [SchemaType] = []
  /// The text of `$ref`. ``SchemaReader`` parses the schema to which it refers.
  var reference: String?
  /// The values of `enum` and `const`.
  var choices: SchemaChoices?

  var minimum: Double?
  var maximum: Double?
  var exclusiveMinimum: Double?
  var exclusiveMaximum: Double?
  var multipleOf: Double?

  /// The length of a string, in code points.
  var lengths = SchemaRange()
  /// A valid regular expression. Each check compiles it anew, because a compiled one takes more memory than the schema.
  var pattern: String?

  var prefixItems: [SchemaNode] = []
  var items: SchemaNode?
  var itemCounts = SchemaRange()

  var properties: [String: SchemaNode] = [:]
  var additionalProperties: SchemaNode?
  var required: [String] = []
  /// The cost of looking up `required` and `reference`, in steps of ``SchemaCheck``.
  var weight = 0

  var allOf: [SchemaNode] = []
  var anyOf: [SchemaNode] = []
  var oneOf: [SchemaNode] = []
}

/// A list of values. Only they fit; if the list is empty, nothing fits.
struct SchemaChoices: Sendable {
  let list: [ChappieJSONValue]
  private let set: Set<ChappieJSONValue>

  init(_ list: [ChappieJSONValue]) {
    self.list = list
    set = Set(list)
  }

  func contains(_ value: ChappieJSONValue) -> Bool { set.contains(value) }
}

/// The limits of a count, both inclusive. Without `most` there is no upper limit.
struct SchemaRange: Sendable {
  var least = 0
  var most: Int?

  /// The limit that `count` violates, as the end of a sentence; nil if it violates none.
  func problem(_ count: Int, of things: String) -> String? {
    if count < least { return "must have at least \(least) \(things)" }
    if let most, count > most { return "must have at most \(most) \(things)" }
    return nil
  }
}

extension SchemaRules {
  /// The limit that a number violates, as the end of a sentence; nil if it violates none or `value` is no number.
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

  /// Allows for rounding: 0.3 is a multiple of 0.1, although the nearest binary fractions are not.
  fileprivate func isMultiple(of divisor: Double) -> Bool {
    let quotient = self / divisor
    return abs(quotient - quotient.rounded()) <= 1e-9 * max(1, abs(quotient))
  }
}
