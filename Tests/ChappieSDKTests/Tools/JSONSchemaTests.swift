// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

/// A schema, a value and the expected violation; nil if the value is valid.
struct SchemaCase: Sendable, CustomTestStringConvertible {
  let schema: String
  let value: String
  let violation: String?

  init(_ schema: String, _ value: String, _ violation: String? = nil) {
    self.schema = schema
    self.value = value
    self.violation = violation
  }

  var testDescription: String { "\(schema) \(value)" }

  func expect(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let schema = try JSONSchema(try ChappieJSONValue(json: schema))
    let found = schema.violation(in: try ChappieJSONValue(json: value))
    #expect(found == violation, sourceLocation: sourceLocation)
  }
}

struct JSONSchemaTests {
  @Test(arguments: [
    SchemaCase("{}", "null"), SchemaCase("true", "[1]"), SchemaCase("false", "1", "/: is not allowed"),
    SchemaCase(#"{"type":"object"}"#, "{}"), SchemaCase(#"{"type":"object"}"#, "[]", "/: must be an object"),
    SchemaCase(#"{"type":"array"}"#, "{}", "/: must be an array"),
    SchemaCase(#"{"type":"string"}"#, #""a""#), SchemaCase(#"{"type":"string"}"#, "1", "/: must be a string"),
    SchemaCase(#"{"type":"boolean"}"#, "false"), SchemaCase(#"{"type":"boolean"}"#, "0", "/: must be a boolean"),
    SchemaCase(#"{"type":"null"}"#, "null"), SchemaCase(#"{"type":"null"}"#, "false", "/: must be null"),
    SchemaCase(#"{"type":"number"}"#, "1"), SchemaCase(#"{"type":"number"}"#, "1.5"),
    SchemaCase(#"{"type":"number"}"#, #""1""#, "/: must be a number"),
    SchemaCase(#"{"type":"integer"}"#, "1"), SchemaCase(#"{"type":"integer"}"#, "1.0"),
    SchemaCase(#"{"type":"integer"}"#, "99999999999999999999"),
    SchemaCase(#"{"type":"integer"}"#, "1.5", "/: must be an integer"),
    SchemaCase(#"{"type":["string","null"]}"#, "null"),
    SchemaCase(#"{"type":["string","null"]}"#, "1", "/: must be a string or null"),
  ])
  func checksTypes(_ example: SchemaCase) throws {
    try example.expect()
  }

  @Test(arguments: [
    SchemaCase(#"{"enum":["a",1,null]}"#, "null"), SchemaCase(#"{"enum":["a",1]}"#, "1.0"),
    SchemaCase(#"{"enum":["a",1]}"#, #""b""#, #"/: must be one of "a", 1"#),
    SchemaCase(#"{"enum":[]}"#, "1", "/: must be one of "), SchemaCase(#"{"enum":["1"]}"#, "1", #"/: must be "1""#),
    SchemaCase(#"{"enum":[{"a":[1]}]}"#, #"{"a":[1.0]}"#),
    SchemaCase(#"{"enum":[{"a":[1]}]}"#, #"{"a":[2]}"#, #"/: must be {"a":[1]}"#),
  ])
  func checksChoices(_ example: SchemaCase) throws {
    try example.expect()
  }

  @Test(arguments: [
    SchemaCase(#"{"items":{"type":"integer"}}"#, "[1,2]"), SchemaCase(#"{"items":{"type":"integer"}}"#, "[]"),
    SchemaCase(#"{"items":{"type":"integer"}}"#, #"[1,"a"]"#, "/1: must be an integer"),
    SchemaCase(#"{"items":false}"#, "[1]", "/0: is not allowed"),
  ])
  func checksArrays(_ example: SchemaCase) throws {
    try example.expect()
  }

  @Test(arguments: [
    SchemaCase(#"{"properties":{"city":{"type":"string"}}}"#, #"{"city":"Oslo","x":1}"#),
    SchemaCase(#"{"properties":{"city":{"type":"string"}}}"#, #"{"city":1}"#, "/city: must be a string"),
    SchemaCase(
      #"{"properties":{"a":{"properties":{"b":{"items":{"enum":[1]}}}}}}"#, #"{"a":{"b":[1,0]}}"#,
      "/a/b/1: must be 1"),
    SchemaCase(#"{"required":["city"]}"#, #"{"city":null}"#),
    SchemaCase(#"{"required":["city"]}"#, #"{"City":1}"#, "/: must have the property 'city'"),
    SchemaCase(#"{"properties":{"a":true},"additionalProperties":false}"#, #"{"a":1}"#),
    SchemaCase(
      #"{"properties":{"a":true},"additionalProperties":false}"#, #"{"a":1,"b":2}"#, "/: must not have the property 'b'"
    ),
    SchemaCase(#"{"additionalProperties":false}"#, #"{"b":2}"#, "/: must not have the property 'b'"),
    SchemaCase(#"{"additionalProperties":{"type":"null"}}"#, #"{"b":2}"#, "/b: must be null"),
    SchemaCase(#"{"additionalProperties":true}"#, #"{"b":2}"#),
    SchemaCase(#"{"properties":{"a/b~c":{"type":"null"}}}"#, #"{"a/b~c":1}"#, "/a~1b~0c: must be null"),
    SchemaCase(
      #"{"properties":{"pattern":{"type":"null"},"$ref":{"type":"null"}}}"#, #"{"$ref":1}"#, "/$ref: must be null"),
  ])
  func checksObjects(_ example: SchemaCase) throws {
    try example.expect()
  }

  /// The check reports the first violation in the order of the keys.
  @Test func firstViolationIsAlwaysTheSame() throws {
    let keys = ["d", "b", "c", "a"]
    let schema = try JSONSchema(["additionalProperties": ["type": "null"]])
    let value = ChappieJSONValue.object(Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) }))
    for _ in 0..<20 { #expect(schema.violation(in: value) == "/a: must be null") }
  }

  /// `String` takes a composed and a decomposed letter for one; the tool that gets the value does not.
  @Test func comparesNamesAndTextsByTheirBytes() throws {
    let schema = try JSONSchema([
      "properties": ["\u{E9}": ["enum": ["\u{E9}"]]], "required": ["\u{E9}"], "additionalProperties": false,
    ])
    #expect(schema.violation(in: ["\u{E9}": "\u{E9}"]) == nil)
    #expect(schema.violation(in: ["e\u{301}": "\u{E9}"]) != nil)
    #expect(schema.violation(in: ["\u{E9}": "e\u{301}"]) != nil)
    #expect(try JSONSchema(["properties": ["\u{E9}": false]]).violation(in: ["e\u{301}": 1]) == nil)
  }

  @Test(arguments: [
    SchemaCase(#"{"format":"email","title":1,"if":false,"$comment":[],"$ref":"none","minimum":2}"#, "1"),
    SchemaCase(#"{"not":true,"anyOf":[],"uniqueItems":true,"maxProperties":"a"}"#, "[1,1]"),
    SchemaCase(#"{"patternProperties":{"[":false},"dependentRequired":{"a":["b"]}}"#, #"{"a":1}"#),
  ])
  func ignoresOtherKeywords(_ example: SchemaCase) throws {
    try example.expect()
  }

  // MARK: Unusable schemas

  @Test(arguments: [
    ("1", "# must be an object, true or false"),
    (#"{"type":"text"}"#, "#/type must be object, array, string, integer, number, boolean or null"),
    (#"{"type":[1]}"#, "#/type must be an array of strings"), (#"{"type":1}"#, "#/type must be an array"),
    (#"{"properties":[]}"#, "#/properties must be an object"),
    (#"{"properties":{"a/b":1}}"#, "#/properties/a~1b must be an object, true or false"),
    (#"{"required":"a"}"#, "#/required must be an array"),
    (#"{"required":[1]}"#, "#/required must be an array of strings"),
    (#"{"enum":"a"}"#, "#/enum must be an array"), (#"{"items":[]}"#, "#/items must be an object, true or false"),
    (#"{"items":{"additionalProperties":0}}"#, "#/items/additionalProperties must be an object, true or false"),
  ])
  func errorNamesTheKeyword(_ schema: String, _ problem: String) throws {
    let value = try ChappieJSONValue(json: schema)
    let error = #expect(throws: SchemaError.self) { try JSONSchema(value) }
    #expect(error?.description == problem)
  }

  @Test func refusesATooDeepSchema() throws {
    var schema: ChappieJSONValue = true
    for _ in 0..<255 { schema = ["items": schema] }
    #expect(throws: Never.self) { try JSONSchema(schema) }
    for _ in 0..<1000 { schema = ["items": schema] }
    let error = #expect(throws: SchemaError.self) { try JSONSchema(schema) }
    #expect(error?.description.hasSuffix("is nested too deep") == true)
  }

  // MARK: What a model or an app may send

  @Test func checksHugeArrays() throws {
    let numbers = "[" + (0..<100_000).map { "\($0)" }.joined(separator: ",")
    try SchemaCase(#"{"items":{"type":"integer"}}"#, numbers + "]").expect()
    try SchemaCase(#"{"items":{"type":"integer"}}"#, numbers + ",\"x\"]", "/100000: must be an integer").expect()
  }

  /// Each level looks at its element once.
  @Test(.timeLimit(.minutes(1))) func checksDeepArrays() throws {
    var (schema, value): (ChappieJSONValue, ChappieJSONValue) = (["type": "null"], 1)
    for _ in 0..<100 { (schema, value) = (["items": schema], [value]) }
    #expect(try JSONSchema(schema).violation(in: value) == "/…/0/0/0/0/0/0/0/0: must be null")
  }

  @Test(.timeLimit(.minutes(1))) func repeatedNamesCostNothing() throws {
    let names = ChappieJSONValue.array(Array(repeating: "a", count: 19_000))
    let values = ChappieJSONValue.array(Array(repeating: ["a": 1], count: 100_000))
    #expect(try JSONSchema(["items": ["required": names]]).violation(in: values) == nil)
    let types = ChappieJSONValue.array(Array(repeating: "null", count: 19_000))
    #expect(try JSONSchema(["type": types]).violation(in: 1) == "/: must be null")
  }

  @Test func placesAreShortened() throws {
    let key = String(repeating: "k", count: 10_000)
    var (schema, value): (ChappieJSONValue, ChappieJSONValue) = (["type": "null"], 1)
    for _ in 0..<100 { (schema, value) = (["properties": .object([key: schema])], .object([key: value])) }
    let violation = try #require(try JSONSchema(schema).violation(in: value))
    #expect(violation.hasPrefix("/…/") && violation.hasSuffix(": must be null") && violation.utf8.count < 2000)
  }

  /// Keys come from the model, so a message about them stays short and on one line.
  @Test func violationShortensALongKey() throws {
    let key = "a\nb " + String(repeating: "word ", count: 100)
    let violation = try JSONSchema(["additionalProperties": false]).violation(in: .object([key: 1]))
    #expect(violation == "/: must not have the property 'a b word word word word word word word …'")
  }
}
