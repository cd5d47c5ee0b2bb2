// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

struct JSONSchemaTests {
  @Test(
    arguments: [
      ("{}", "null", nil), ("true", "[1]", nil), ("false", "1", "/: is not allowed"),
      (#"{"type":"object"}"#, "{}", nil), (#"{"type":"object"}"#, "[]", "/: must be an object"),
      (#"{"type":"array"}"#, "{}", "/: must be an array"),
      (#"{"type":"string"}"#, #""a""#, nil), (#"{"type":"string"}"#, "1", "/: must be a string"),
      (#"{"type":"boolean"}"#, "false", nil), (#"{"type":"boolean"}"#, "0", "/: must be a boolean"),
      (#"{"type":"null"}"#, "null", nil), (#"{"type":"null"}"#, "false", "/: must be null"),
      (#"{"type":"number"}"#, "1", nil), (#"{"type":"number"}"#, "1.5", nil),
      (#"{"type":"number"}"#, #""1""#, "/: must be a number"),
      (#"{"type":"integer"}"#, "1", nil), (#"{"type":"integer"}"#, "1.0", nil),
      (#"{"type":"integer"}"#, "99999999999999999999", nil),
      (#"{"type":"integer"}"#, "1.5", "/: must be an integer"),
      (#"{"type":["string","null"]}"#, "null", nil),
      (#"{"type":["string","null"]}"#, "1", "/: must be a string or null"),
      // Choices
      (#"{"enum":["a",1,null]}"#, "null", nil), (#"{"enum":["a",1]}"#, "1.0", nil),
      (#"{"enum":["a",1]}"#, #""b""#, #"/: must be one of "a", 1"#),
      (#"{"enum":[]}"#, "1", "/: must be one of "), (#"{"enum":["1"]}"#, "1", #"/: must be "1""#),
      (#"{"enum":[{"a":[1]}]}"#, #"{"a":[1.0]}"#, nil),
      (#"{"enum":[{"a":[1]}]}"#, #"{"a":[2]}"#, #"/: must be {"a":[1]}"#),
      // Arrays
      (#"{"items":{"type":"integer"}}"#, "[1,2]", nil), (#"{"items":{"type":"integer"}}"#, "[]", nil),
      (#"{"items":{"type":"integer"}}"#, #"[1,"a"]"#, "/1: must be an integer"),
      (#"{"items":false}"#, "[1]", "/0: is not allowed"),
      // Objects
      (#"{"properties":{"city":{"type":"string"}}}"#, #"{"city":"Oslo","x":1}"#, nil),
      (#"{"properties":{"city":{"type":"string"}}}"#, #"{"city":1}"#, "/city: must be a string"),
      (
        #"{"properties":{"a":{"properties":{"b":{"items":{"enum":[1]}}}}}}"#, #"{"a":{"b":[1,0]}}"#,
        "/a/b/1: must be 1"
      ),
      (#"{"required":["city"]}"#, #"{"city":null}"#, nil),
      (#"{"required":["city"]}"#, #"{"City":1}"#, "/: must have the property 'city'"),
      (#"{"properties":{"a":true},"additionalProperties":false}"#, #"{"a":1}"#, nil),
      (
        #"{"properties":{"a":true},"additionalProperties":false}"#, #"{"a":1,"b":2}"#,
        "/: must not have the property 'b'"
      ),
      (#"{"additionalProperties":false}"#, #"{"b":2}"#, "/: must not have the property 'b'"),
      (#"{"additionalProperties":{"type":"null"}}"#, #"{"b":2}"#, "/b: must be null"),
      (#"{"additionalProperties":true}"#, #"{"b":2}"#, nil),
      (#"{"properties":{"a/b~c":{"type":"null"}}}"#, #"{"a/b~c":1}"#, "/a~1b~0c: must be null"),
      (
        #"{"properties":{"pattern":{"type":"null"},"$ref":{"type":"null"}}}"#, #"{"$ref":1}"#, "/$ref: must be null"
      ),
      // Other keywords are ignored.
      (#"{"format":"email","title":1,"if":false,"$comment":[],"$ref":"none","minimum":2}"#, "1", nil),
      (#"{"not":true,"anyOf":[],"uniqueItems":true,"maxProperties":"a"}"#, "[1,1]", nil),
      (#"{"patternProperties":{"[":false},"dependentRequired":{"a":["b"]}}"#, #"{"a":1}"#, nil),
    ] as [(String, String, String?)])
  func checksAValue(_ schema: String, _ value: String, _ violation: String?) throws {
    let schema = try JSONSchema(ChappieJSONValue(json: schema))
    #expect(try schema.violation(in: ChappieJSONValue(json: value)) == violation)
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

  /// Each level looks at its element once.
  @Test(.timeLimit(.minutes(1))) func checksDeepArrays() throws {
    var (schema, value): (ChappieJSONValue, ChappieJSONValue) = (["type": "null"], 1)
    for _ in 0..<100 { (schema, value) = (["items": schema], [value]) }
    #expect(try JSONSchema(schema).violation(in: value) == "/…/0/0/0/0/0/0/0/0: must be null")
  }

  @Test(.timeLimit(.minutes(1))) func hugeArraysAndRepeatedNamesCostNothing() throws {
    let names = ChappieJSONValue.array(Array(repeating: "a", count: 19_000))
    let values: [ChappieJSONValue] = Array(repeating: ["a": 1], count: 100_000) + [[:]]
    let violation = try JSONSchema(["items": ["required": names]]).violation(in: .array(values))
    #expect(violation == "/100000: must have the property 'a'")
    let types = ChappieJSONValue.array(Array(repeating: "null", count: 19_000))
    #expect(try JSONSchema(["type": types]).violation(in: 1) == "/: must be null")
  }

  /// Keys come from the model, so a message about them stays short and on one line.
  @Test func violationShortensALongKey() throws {
    let key = "a\nb " + String(repeating: "word ", count: 100)
    let violation = try JSONSchema(["additionalProperties": false]).violation(in: .object([key: 1]))
    #expect(violation == "/: must not have the property 'a b word word word word word word word …'")
    let long = String(repeating: "k", count: 10_000)
    var (schema, value): (ChappieJSONValue, ChappieJSONValue) = (["type": "null"], 1)
    for _ in 0..<100 { (schema, value) = (["properties": .object([long: schema])], .object([long: value])) }
    let place = try #require(try JSONSchema(schema).violation(in: value))
    #expect(place.hasPrefix("/…/") && place.hasSuffix(": must be null") && place.utf8.count < 2000)
  }
}
