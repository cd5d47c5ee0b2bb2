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
    SchemaCase(#"{"enum":[]}"#, "1", "/: must be one of "),
    SchemaCase(#"{"const":{"a":[1]}}"#, #"{"a":[1.0]}"#),
    SchemaCase(#"{"const":{"a":[1]}}"#, #"{"a":[2]}"#, #"/: must be {"a":[1]}"#),
    SchemaCase(#"{"const":false}"#, "0", "/: must be false"), SchemaCase(#"{"const":"1"}"#, "1", #"/: must be "1""#),
    SchemaCase(#"{"const":1,"enum":[1,2]}"#, "2", "/: must be 1"),
  ])
  func checksChoices(_ example: SchemaCase) throws {
    try example.expect()
  }

  @Test(arguments: [
    SchemaCase(#"{"minimum":3}"#, "3"), SchemaCase(#"{"minimum":3}"#, "2.9", "/: must be at least 3"),
    SchemaCase(#"{"maximum":3.5}"#, "3.5"), SchemaCase(#"{"maximum":3.5}"#, "4", "/: must be at most 3.5"),
    SchemaCase(#"{"exclusiveMinimum":0}"#, "0.1"), SchemaCase(#"{"exclusiveMinimum":0}"#, "0", "/: must be above 0"),
    SchemaCase(#"{"exclusiveMaximum":9}"#, "8"), SchemaCase(#"{"exclusiveMaximum":9}"#, "9.0", "/: must be below 9"),
    SchemaCase(#"{"multipleOf":3}"#, "-9"), SchemaCase(#"{"multipleOf":3}"#, "10", "/: must be a multiple of 3"),
    SchemaCase(#"{"multipleOf":0.1}"#, "0.3"),
    SchemaCase(#"{"multipleOf":0.1}"#, "4.35", "/: must be a multiple of 0.1"),
    SchemaCase(#"{"minimum":3}"#, #""no number""#), SchemaCase(#"{"maximum":10}"#, "1e300", "/: must be at most 10"),
    SchemaCase(#"{"maximum":10}"#, "99999999999999999999", "/: must be at most 10"),
  ])
  func checksNumbers(_ example: SchemaCase) throws {
    try example.expect()
  }

  @Test(arguments: [
    SchemaCase(#"{"minLength":2}"#, #""ab""#),
    SchemaCase(#"{"minLength":2}"#, #""ä""#, "/: must have at least 2 characters"),
    SchemaCase(#"{"maxLength":1}"#, #""😀""#),
    SchemaCase(#"{"maxLength":1}"#, #""ab""#, "/: must have at most 1 characters"),
    SchemaCase(#"{"maxLength":1}"#, #""e\u0301""#, "/: must have at most 1 characters"),
    SchemaCase(#"{"maxLength":1.0}"#, "[1,2]"),
    SchemaCase(#"{"pattern":"^[a-z]+$"}"#, #""abc""#),
    SchemaCase(#"{"pattern":"^[a-z]+$"}"#, #""abc\n""#, "/: must match the pattern of its schema"),
    SchemaCase(#"{"pattern":"b"}"#, #""abc""#), SchemaCase(#"{"pattern":"^$"}"#, #""""#),
    SchemaCase(#"{"pattern":"^\\u00e4$"}"#, #""ä""#),
  ])
  func checksTexts(_ example: SchemaCase) throws {
    try example.expect()
  }

  @Test(arguments: [
    SchemaCase(#"{"items":{"type":"integer"}}"#, "[1,2]"), SchemaCase(#"{"items":{"type":"integer"}}"#, "[]"),
    SchemaCase(#"{"items":{"type":"integer"}}"#, #"[1,"a"]"#, "/1: must be an integer"),
    SchemaCase(#"{"items":false}"#, "[1]", "/0: is not allowed"),
    SchemaCase(#"{"prefixItems":[{"type":"string"}],"items":{"type":"null"}}"#, #"["a",null]"#),
    SchemaCase(#"{"prefixItems":[{"type":"string"}],"items":{"type":"null"}}"#, "[null]", "/0: must be a string"),
    SchemaCase(#"{"prefixItems":[{"type":"string"}],"items":false}"#, #"["a",1]"#, "/1: is not allowed"),
    SchemaCase(#"{"prefixItems":[{"type":"string"}]}"#, #"["a",1]"#),
    SchemaCase(#"{"minItems":1}"#, "[]", "/: must have at least 1 items"),
    SchemaCase(#"{"maxItems":1}"#, "[1,2]", "/: must have at most 1 items"),
  ])
  func checksArrays(_ example: SchemaCase) throws {
    try example.expect()
  }

  @Test(arguments: [
    SchemaCase(#"{"properties":{"city":{"type":"string"}}}"#, #"{"city":"Oslo","x":1}"#),
    SchemaCase(#"{"properties":{"city":{"type":"string"}}}"#, #"{"city":1}"#, "/city: must be a string"),
    SchemaCase(
      #"{"properties":{"a":{"properties":{"b":{"items":{"minimum":1}}}}}}"#, #"{"a":{"b":[1,0]}}"#,
      "/a/b/1: must be at least 1"),
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

  @Test(arguments: [
    SchemaCase(#"{"allOf":[{"minimum":1},{"maximum":2}]}"#, "2"),
    SchemaCase(#"{"allOf":[{"minimum":1},{"maximum":2}]}"#, "3", "/: must be at most 2"),
    SchemaCase(#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "null"),
    SchemaCase(#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "1", "/: must fit at least one of 2 alternatives"),
    SchemaCase(#"{"oneOf":[{"minimum":1},{"minimum":5}]}"#, "2"),
    SchemaCase(#"{"oneOf":[{"minimum":1},{"minimum":5}]}"#, "6", "/: must fit exactly one of 2 alternatives"),
    SchemaCase(#"{"oneOf":[{"minimum":1},{"minimum":5}]}"#, "0", "/: must fit exactly one of 2 alternatives"),
    SchemaCase(#"{"type":"integer","anyOf":[true]}"#, #""a""#, "/: must be an integer"),
  ])
  func checksCombinations(_ example: SchemaCase) throws {
    try example.expect()
  }

  private static let tree =
    ##"{"$ref":"#/$defs/node","$defs":{"node":{"properties":{"next":{"$ref":"#/$defs/node"}},"required":["id"]}}}"##

  @Test(arguments: [
    SchemaCase(tree, #"{"id":1,"next":{"id":2}}"#),
    SchemaCase(tree, #"{"id":1,"next":{"id":2,"next":{}}}"#, "/next/next: must have the property 'id'"),
    SchemaCase(##"{"$ref":"#/definitions/a","definitions":{"a":{"type":"null"}}}"##, "1", "/: must be null"),
    SchemaCase(##"{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"null"}}}"##, "1", "/: must be null"),
    SchemaCase(
      ##"{"properties":{"a":{"$ref":"#"}},"additionalProperties":false}"##, #"{"a":{"b":1}}"#,
      "/a: must not have the property 'b'"),
    SchemaCase(##"{"$ref":"#/$defs/a","maximum":3,"$defs":{"a":{"minimum":1}}}"##, "4", "/: must be at most 3"),
  ])
  func checksReferences(_ example: SchemaCase) throws {
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
      "properties": ["\u{E9}": ["const": "\u{E9}"]], "required": ["\u{E9}"], "additionalProperties": false,
    ])
    #expect(schema.violation(in: ["\u{E9}": "\u{E9}"]) == nil)
    #expect(schema.violation(in: ["e\u{301}": "\u{E9}"]) != nil)
    #expect(schema.violation(in: ["\u{E9}": "e\u{301}"]) != nil)
    #expect(try JSONSchema(["properties": ["\u{E9}": false]]).violation(in: ["e\u{301}": 1]) == nil)
  }

  @Test(arguments: [
    SchemaCase(#"{"format":"email","title":1,"if":false,"$comment":[]}"#, "1"),
    SchemaCase(#"{"not":true,"uniqueItems":true,"maxProperties":"a"}"#, "[1,1]"),
    SchemaCase(#"{"patternProperties":{"[":false},"dependentRequired":{"a":["b"]}}"#, #"{"a":1}"#),
  ])
  func ignoresUnknownKeywords(_ example: SchemaCase) throws {
    try example.expect()
  }
}
