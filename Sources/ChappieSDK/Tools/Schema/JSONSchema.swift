import GLibBridge

/// Checks values against a JSON Schema: the keywords that function calling uses. Unknown keywords are ignored.
package struct JSONSchema: Sendable {
  /// The longest text of a schema, in bytes.
  package static let textLimit = 256 << 10
  /// The most JSON values in a schema.
  package static let valueLimit = 20_000
  /// The most JSON values in a call's arguments.
  package static let argumentLimit = 200_000

  private let root: SchemaNode
  private let definitions: [String: SchemaNode]

  /// - Throws: ``SchemaError`` for a schema that has a known keyword of a wrong form, a pattern that is no regular
  ///   expression, or a reference to what is not there.
  package init(_ schema: ChappieJSONValue) throws(SchemaError) {
    var reader = SchemaReader()
    root = try reader.node(schema, at: .root("#"))
    definitions = try reader.resolve(in: schema)
  }

  /// The first violation as a sentence that starts with its place, such as `/city: must be a string`; nil when `value`
  /// fits. The root's place is `/`. It can take a second: not for the actor.
  package func violation(in value: ChappieJSONValue) -> String? {
    var check = SchemaCheck(definitions: definitions)
    return check.violation(of: root, in: value)
  }
}

/// What is wrong with a schema.
package struct SchemaError: Error, Equatable, CustomStringConvertible {
  /// Where, and what; no full stop at its end.
  package let description: String

  init(_ place: SchemaPlace, _ problem: String) {
    description = "\(place.text) \(problem)"
  }
}

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
  var uniqueItems = false

  var properties: [String: SchemaNode] = [:]
  var additionalProperties: SchemaNode?
  var required: [String] = []
  var propertyCounts = SchemaRange()
  /// What looking up these keywords costs, in the steps of a check.
  var weight = 0

  var allOf: [SchemaNode] = []
  var anyOf: [SchemaNode] = []
  var oneOf: [SchemaNode] = []
  var not: SchemaNode?
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
}
