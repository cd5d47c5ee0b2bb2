import Testing

@testable import ChappieSDK

/// Schemas and values that would take forever, or all of the stack.
struct JSONSchemaBoundsTests {
  private static let deepList = String(repeating: "[", count: 256) + String(repeating: "]", count: 256)

  @Test func aDeepValueIsChecked() throws {
    try SchemaCase(##"{"type":"array","items":{"$ref":"#"}}"##, Self.deepList).expect()
    let leaf = String(repeating: "[", count: 200) + "1" + String(repeating: "]", count: 200)
    try SchemaCase(##"{"type":"array","items":{"$ref":"#"}}"##, leaf, "/…/0/0/0/0/0/0/0/0: must be an array").expect()
  }

  @Test(arguments: [
    ##"{"$ref":"#"}"##, ##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
    ##"{"allOf":[{"$ref":"#"}]}"##, ##"{"anyOf":[{"$ref":"#"}]}"##, ##"{"oneOf":[{"$ref":"#"},true]}"##,
  ])
  func aReferenceToItselfEnds(_ schema: String) throws {
    try SchemaCase(schema, "1", "/: is nested too deep to be checked").expect()
  }

  /// Giving up must not pass for "does not fit", which `not` would turn into "fits".
  @Test func givingUpUnderNotIsAViolation() throws {
    try SchemaCase(##"{"not":{"$ref":"#"}}"##, "1", "/: is nested too deep to be checked").expect()
    try SchemaCase(
      #"{"not":{"pattern":"^(a+)+$"}}"#, "\"\(String(repeating: "a", count: 60))b\"",
      "/: takes too long to be held against its pattern"
    ).expect()
  }

  /// Thirty definitions that each try the next twice: a billion ways.
  @Test func exponentialWorkEnds() throws {
    let definitions = (0..<30).map {
      ##""d\##($0)":{"oneOf":[{"$ref":"#/$defs/d\##($0 + 1)"},{"$ref":"#/$defs/d\##($0 + 1)"}]}"##
    }
    let schema = ##"{"$ref":"#/$defs/d0","$defs":{\##(definitions.joined(separator: ",")),"d30":false}}"##
    try SchemaCase(schema, "1", "/: takes too much work to be checked").expect()
  }

  @Test func aCatastrophicPatternEnds() throws {
    try SchemaCase(
      #"{"pattern":"^(a+)+$"}"#, "\"\(String(repeating: "a", count: 60))b\"",
      "/: takes too long to be held against its pattern"
    ).expect()
  }

  @Test func hugeArraysAreCheckedOrRefused() throws {
    let numbers = "[" + (0..<100_000).map { "\($0)" }.joined(separator: ",")
    try SchemaCase(#"{"items":{"type":"integer"},"uniqueItems":true}"#, numbers + "]").expect()
    try SchemaCase(#"{"items":{"type":"integer"}}"#, numbers + ",\"x\"]", "/100000: must be an integer").expect()
    try SchemaCase(#"{"uniqueItems":true}"#, numbers + ",0]", "/: must not have the same item twice").expect()
  }

  @Test func manyChoicesForManyItemsEnd() throws {
    let choices = (0..<2000).map { "\($0)" }.joined(separator: ",")
    let items = Array(repeating: "1999", count: 2000).joined(separator: ",")
    let schema = try JSONSchema(try ChappieJSONValue(json: "{\"items\":{\"enum\":[\(choices)]}}"))
    let violation = schema.violation(in: try ChappieJSONValue(json: "[\(items)]"))
    #expect(violation?.hasSuffix("takes too much work to be checked") == true)
  }

  /// Keys come from the model: what is told about them stays on one line, and short.
  @Test func aLongKeyIsCutShort() throws {
    let key = "a\nb " + String(repeating: "word ", count: 100)
    let violation = try JSONSchema(["additionalProperties": false]).violation(in: .object([key: 1]))
    #expect(violation == "/: must not have the property 'a b word word word word word word word …'")
  }
}
