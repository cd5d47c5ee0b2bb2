import Testing

@testable import ChappieSDK

/// Reading of schemas, and the errors of unusable ones.
struct JSONSchemaReadingTests {
  @Test(arguments: [
    ("1", "# must be an object, true or false"),
    (#"{"type":"text"}"#, "#/type must be object, array, string, integer, number, boolean or null"),
    (#"{"type":[1]}"#, "#/type must be an array of strings"), (#"{"type":1}"#, "#/type must be an array"),
    (#"{"properties":[]}"#, "#/properties must be an object"),
    (#"{"properties":{"a/b":1}}"#, "#/properties/a~1b must be an object, true or false"),
    (#"{"required":"a"}"#, "#/required must be an array"),
    (#"{"enum":"a"}"#, "#/enum must be an array"), (#"{"items":[]}"#, "#/items must be an object, true or false"),
    (#"{"anyOf":{}}"#, "#/anyOf must be an array"),
    (#"{"anyOf":[{},{"minimum":"1"}]}"#, "#/anyOf/1/minimum must be a number"),
    (#"{"minLength":-1}"#, "#/minLength must be a whole number, 0 or more"),
    (#"{"maxItems":1.5}"#, "#/maxItems must be a whole number, 0 or more"),
    (#"{"multipleOf":0}"#, "#/multipleOf must be a number above 0"),
    (#"{"pattern":"["}"#, "#/pattern must be a regular expression"),
    (#"{"pattern":"(*LIMIT_MATCH=100000000)a"}"#, "#/pattern must be a regular expression"),
    (#"{"$ref":1}"#, "#/$ref must be a string"),
    (##"{"$ref":"#/$defs/a"}"##, "$ref '#/$defs/a' refers to nothing in this schema"),
    (#"{"$ref":"https://example.com/a"}"#, "$ref 'https://example.com/a' refers to nothing in this schema"),
    (##"{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"type":0}}}"##, "#/$defs/a/type must be an array"),
  ])
  func errorNamesTheKeyword(_ schema: String, _ problem: String) throws {
    let value = try ChappieJSONValue(json: schema)
    let error = #expect(throws: SchemaError.self) { try JSONSchema(value) }
    #expect(error?.description == problem)
  }

  @Test func unknownKeywordsAreIgnoredOrRefused() throws {
    let schema: ChappieJSONValue = ["items": ["not": true], "title": "a", "format": "date"]
    #expect(throws: Never.self) { try JSONSchema(schema) }
    let error = #expect(throws: SchemaError.self) { try JSONSchema(schema, refusesUnknown: true) }
    #expect(error?.description == "#/items/not is a keyword that is not checked")
    #expect(throws: Never.self) { try JSONSchema(["title": "a", "format": "date"], refusesUnknown: true) }
  }

  @Test func refusesATooDeepSchema() throws {
    var schema: ChappieJSONValue = true
    for _ in 0..<255 { schema = ["items": schema] }
    #expect(throws: Never.self) { try JSONSchema(schema) }
    for _ in 0..<1000 { schema = ["items": schema] }
    let error = #expect(throws: SchemaError.self) { try JSONSchema(schema) }
    #expect(error?.description.hasSuffix("is nested too deep") == true)
  }

  /// An invalid definition without a reference is no error.
  @Test func readsOnlyReferencedDefinitions() throws {
    #expect(throws: Never.self) { try JSONSchema(["$defs": ["unused": ["type": "text"]]]) }
  }
}
