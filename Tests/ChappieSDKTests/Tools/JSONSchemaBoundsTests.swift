import Testing

@testable import ChappieSDK

/// Schemas and values that would otherwise exhaust the time or the stack.
struct JSONSchemaBoundsTests {
  private static let deepList = String(repeating: "[", count: 256) + String(repeating: "]", count: 256)

  @Test func checksADeepValue() throws {
    try SchemaCase(##"{"type":"array","items":{"$ref":"#"}}"##, Self.deepList).expect()
    let leaf = String(repeating: "[", count: 200) + "1" + String(repeating: "]", count: 200)
    try SchemaCase(##"{"type":"array","items":{"$ref":"#"}}"##, leaf, "/…/0/0/0/0/0/0/0/0: must be an array").expect()
  }

  @Test(arguments: [
    ##"{"$ref":"#"}"##, ##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
    ##"{"allOf":[{"$ref":"#"}]}"##, ##"{"anyOf":[{"$ref":"#"}]}"##, ##"{"oneOf":[{"$ref":"#"},true]}"##,
  ])
  func selfReferenceEnds(_ schema: String) throws {
    try SchemaCase(schema, "1", "/: is nested too deep to be checked").expect()
  }

  /// An abandoned check must not count as "does not fit", because `oneOf` would turn that into "fits".
  @Test func abandonedCheckUnderOneOfIsAViolation() throws {
    try SchemaCase(##"{"oneOf":[true,{"$ref":"#"}]}"##, "1", "/: is nested too deep to be checked").expect()
    try SchemaCase(
      #"{"oneOf":[true,{"pattern":"^(a+)+$"}]}"#, "\"\(String(repeating: "a", count: 60))b\"",
      "/: takes too long to be held against its pattern"
    ).expect()
  }

  /// Each of thirty definitions checks the next one twice, which makes a billion paths.
  @Test func exponentialWorkEnds() throws {
    let definitions = (0..<30).map {
      ##""d\##($0)":{"oneOf":[{"$ref":"#/$defs/d\##($0 + 1)"},{"$ref":"#/$defs/d\##($0 + 1)"}]}"##
    }
    let schema = ##"{"$ref":"#/$defs/d0","$defs":{\##(definitions.joined(separator: ",")),"d30":false}}"##
    try SchemaCase(schema, "1", "/: takes too much work to be checked").expect()
  }

  @Test func catastrophicPatternEnds() throws {
    try SchemaCase(
      #"{"pattern":"^(a+)+$"}"#, "\"\(String(repeating: "a", count: 60))b\"",
      "/: takes too long to be held against its pattern"
    ).expect()
  }

  @Test func checksHugeArrays() throws {
    let numbers = "[" + (0..<100_000).map { "\($0)" }.joined(separator: ",")
    try SchemaCase(#"{"items":{"type":"integer"}}"#, numbers + "]").expect()
    try SchemaCase(#"{"items":{"type":"integer"}}"#, numbers + ",\"x\"]", "/100000: must be an integer").expect()
  }

  // MARK: Cost of a check

  /// The number of steps for a check of `value`.
  private func steps(_ schema: ChappieJSONValue, _ value: ChappieJSONValue) throws -> Int {
    var reader = SchemaReader()
    let root = try reader.node(schema)
    var check = SchemaCheck(definitions: try reader.resolve(in: schema))
    #expect(check.violation(of: root, in: value) == nil)
    return check.steps
  }

  /// Four times the items cost at most four times the steps.
  @Test(
    arguments: [["items": ["enum": ["x", "y"]]], ["items": ["anyOf": [["minimum": 1], ["maxLength": 9]]]]]
      as [ChappieJSONValue])
  func costIsProportionalToTheItems(_ schema: ChappieJSONValue) throws {
    func items(_ count: Int) -> ChappieJSONValue {
      .array(Array(repeating: "x", count: count))
    }
    let (few, many) = (try steps(schema, items(1000)), try steps(schema, items(4000)))
    #expect(few >= 1000)
    #expect(many <= 4 * few)
  }

  /// Each look at a text costs steps in proportion to its length.
  @Test(
    arguments: [
      ["minLength": 1], ["pattern": "^x"], ["enum": [.string(String(repeating: "x", count: 16_000))]],
      ["allOf": [["minLength": 1], ["minLength": 1], ["minLength": 1]]],
    ] as [ChappieJSONValue])
  func costOfATextIsItsLength(_ schema: ChappieJSONValue) throws {
    let count = try steps(schema, .string(String(repeating: "x", count: 16_000)))
    #expect(count >= 1000 * max(1, schema["allOf"]?.arrayValue?.count ?? 0))
    #expect(count < 4000)
  }

  /// Each look-up of a key costs steps in proportion to its length.
  @Test func costOfAKeyIsItsLength() throws {
    let key = String(repeating: "k", count: 16_000)
    #expect(try steps(["required": [.string(key)]], .object([key: 1])) >= 1000)
    #expect(try steps(["additionalProperties": true], .object([key: 1])) >= 1000)
  }

  @Test func manyChoicesCostNoMoreThanFew() throws {
    let few: ChappieJSONValue = ["items": ["enum": [1]]]
    let many: ChappieJSONValue = ["items": ["enum": .array((0..<20_000).map { .integer(Int64($0)) })]]
    let items = ChappieJSONValue.array(Array(repeating: 1, count: 1000))
    #expect(try steps(few, items) == steps(many, items))
  }

  @Test func longTextIsNotMatchedAgainstAPattern() throws {
    let text = String(repeating: "x", count: 33 << 10)
    #expect(
      try JSONSchema(["pattern": "y"]).violation(in: .string(text))
        == "/: takes too long to be held against its pattern")
    #expect(try JSONSchema(["minLength": 1]).violation(in: .string(text)) == nil)
  }

  // MARK: Cost of a schema

  @Test func refusesTooManySchemas() throws {
    #expect(throws: SchemaError.self) {
      try JSONSchema(["allOf": .array(Array(repeating: true, count: JSONSchema.valueLimit))])
    }
    #expect(throws: SchemaError.self) {
      try JSONSchema(["allOf": .array((0..<300).map { ["pattern": "a\($0)"] })])
    }
  }

  /// The reader reads the target once for each spelling of a reference, which must not multiply a large target.
  @Test func refusesTooManySpellingsOfAReference() throws {
    let spellings = (0..<256).map { number in
      "#/$defs/" + (0..<8).map { number >> $0 & 1 == 0 ? "/" : "~1" }.joined()
    }
    let target: ChappieJSONValue = ["allOf": .array(Array(repeating: true, count: 1000))]
    #expect(throws: SchemaError.self) {
      try JSONSchema([
        "anyOf": .array(spellings.map { ["$ref": .string($0)] }),
        "$defs": .object([String(repeating: "/", count: 8): target]),
      ])
    }
  }

  @Test func errorShortensADeepPath() throws {
    let key = String(repeating: "k", count: 10_000)
    var schema: ChappieJSONValue = ["type": "nothing"]
    for _ in 0..<100 { schema = ["properties": .object([key: schema])] }
    do {
      _ = try JSONSchema(schema)
      Issue.record("it was taken")
    } catch {
      #expect(error.description.hasPrefix("#/…/") && error.description.utf8.count < 2000)
    }
  }

  /// Keys come from the model, so a message about them stays short and on one line.
  @Test func violationShortensALongKey() throws {
    let key = "a\nb " + String(repeating: "word ", count: 100)
    let violation = try JSONSchema(["additionalProperties": false]).violation(in: .object([key: 1]))
    #expect(violation == "/: must not have the property 'a b word word word word word word word …'")
  }
}
