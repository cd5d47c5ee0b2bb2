// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import GLibBridge
import Platform
import Testing

@testable import ChappieSDK

struct JSONReaderTests {
  private static func parse(_ text: String) throws -> ChappieJSONValue { try parse(Array(text.utf8)) }

  private static func parse(_ bytes: [UInt8], limit: Int = ChappieJSONValue.valueLimit) throws -> ChappieJSONValue {
    try ChappieJSONValue(parsing: bytes.span, valueLimit: limit)
  }

  @Test(
    arguments: [
      ("{}", [:]), ("[]", []), (" [ 1 , -2 ] ", [.integer(1), .integer(-2)]), ("\"a\"", "a"), ("true", true),
      ("[false,null]", [false, .null]), ("[0.5,1e3,-2.5E-1]", [.number(0.5), .number(1000), .number(-0.25)]),
      ("{\"a\":{\"b\":[{\"c\":\"d\"}]},\"\":\"e\"}", ["a": ["b": [["c": "d"]]], "": "e"]),
      ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"), ("\"\\u00e4\\ud83d\\ude00ü\"", "ä😀ü"),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)), ("-0", .integer(0)),
      // These overflow in JSON-GLib.
      ("9223372036854775808", .number(9_223_372_036_854_775_808)),
      (
        "[-9223372036854775809, 99999999999999999999,1]",
        [.number(-9_223_372_036_854_775_808), .number(1e20), .integer(1)]
      ),
      ("\"9223372036854775808\"", "9223372036854775808"),
      // JSON-GLib ends the text at U+0000 and garbles lone surrogates.
      ("{\"a\\u0000b\":\"c\\u0000\"}", ["a\u{FFFD}b": "c\u{FFFD}"]), ("\"a\\ud83db\"", "a\u{FFFD}b"),
      ("\"\\ude00\\ud83d\\ud83d\\uDE00\\\\u0000\"", "\u{FFFD}\u{FFFD}😀\\u0000"),
    ] as [(String, ChappieJSONValue)])
  func readsEachValue(_ text: String, _ value: ChappieJSONValue) throws {
    #expect(try Self.parse(text) == value)
  }

  /// Also extensions that JSON-GLib accepts, but JSON does not define.
  @Test(arguments: [
    "{", "}", "[", "]", "{}}", "[1,]", "{\"a\":1,}", "{\"a\"}", "{\"a\":}", "{a:1}", "[1 2]", "nul", "\"open",
    "{\"a\":\"b}", "*",
    "", " ", "/**/[1]", "[1]/**/", "['a']", "{'a':1}", "{\"a\":/*\"*/1}", "var a = 1;", "[1] [2]", "1 2", "{}[]",
    "0x10", "[010]", "[1.]", "[.5]", "[1e400]", "-", "[1e]", "[1.e1]", "[+1]", "[1e+]", "[--1]", "[True]",
    "\"\\q\"", "\"\\101\"", "\"\\u00zz\"", "\"\\u00", "\"a\nb\"", "\"a\tb\"", "[\0]",
  ])
  func refusesInvalidJSON(_ text: String) {
    #expect(throws: JSONProblem.self) { try Self.parse(text) }
  }

  @Test func refusesInvalidUTF8() {
    #expect(throws: JSONProblem.self) { try Self.parse([0x22, 0xFF, 0x22]) }
  }

  private static func nested(_ depth: Int) -> [UInt8] {
    Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
  }

  @Test func readsNestedValuesUpToTheLimit() throws {
    #expect(try Self.parse(Self.nested(ChappieJSONValue.depthLimit)).arrayValue?.count == 1)
    #expect(throws: JSONProblem.self) { try Self.parse(Self.nested(ChappieJSONValue.depthLimit + 1)) }
    // Quotes in strings do not hide it.
    for text in [#"["\\","#, #"["\"","#] {
      #expect(throws: JSONProblem.tooDeep) { try Self.parse(Array(text.utf8) + Self.nested(1000) + [0x5D]) }
    }
    // Brackets in strings and consecutive brackets are not nested.
    #expect(try Self.parse("\"" + String(repeating: "[", count: 1000) + "\\\"[\"").stringValue?.count == 1002)
    #expect(
      try Self.parse("[" + Array(repeating: "[]", count: 1000).joined(separator: ",") + "]").arrayValue?.count == 1000)
  }

  private static func list(_ count: Int, _ element: (Int) -> String) -> String {
    "[" + (0..<count).map(element).joined(separator: ",") + "]"
  }

  /// The time limit fails if the reading takes quadratic time.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      { list($0) { _ in "12345678901234567890" } }, { list($0) { _ in #""\u0000\ud800\n""# } },
      { list($0) { _ in #"{"a":{},"b":[]}"# } }, { "\"" + String(repeating: #"\\\""#, count: $0) + "\"" },
      { count in "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + ",\"a\":1}" },
      { count in "{" + (0..<count).map { "\"b\($0)\":0" }.joined(separator: ",") + "}" },
      { "0." + String(repeating: "1", count: 20 * $0) }, { list($0) { _ in "0.1e-5" } },
    ] as [@Sendable (Int) -> String])
  func timeIsProportionalToTheBytes(_ text: @Sendable (Int) -> String) throws {
    _ = try Self.parse(text(100_000))
  }

  @Test func refusesTooManyValues() throws {
    let text = Array(Self.list(9) { "\($0)" }.utf8)
    #expect(try Self.parse(text, limit: 10).arrayValue?.count == 9)
    #expect(throws: JSONProblem.tooManyValues) { try Self.parse(text, limit: 9) }
    #expect(throws: JSONProblem.tooDeep) { try Self.parse(Self.nested(257), limit: 1000) }
    #expect(throws: JSONProblem.malformed) { try Self.parse("[") }
  }

  @Test func numbersAreReadInTheirRange() throws {
    let value = try Self.parse("{\"s\":\"a\",\"i\":7,\"d\":2.5}")
    #expect(value["i"]?.count == 7 && value["i"]?.numberValue == 7)
    #expect(value["d"]?.numberValue == 2.5 && value["d"]?.count == 2 && value["d"]?.number(in: 2...2) == 2)
    #expect(value["d"]?.number(in: 3...9) == nil && value["i"]?.time == Timestamp(Int64(7)) && value["s"]?.time == nil)
  }

  /// A number from a server must not crash this process.
  @Test(arguments: ["1e300", "-1e300", "1e19", "9223372036854775807", "-9223372036854775808"])
  func hugeNumberIsNoCount(_ number: String) throws {
    let value = try #require(try Self.parse("[\(number)]").arrayValue?.first)
    #expect(value.count == nil && value.time == nil && value.number(in: 0...1) == nil)
    #expect(value.numberValue == Double(number))
  }

  @Test func encodingRoundTrips() throws {
    let controls = String(String.UnicodeScalarView((1...0x1F).compactMap { Unicode.Scalar($0) }))
    let texts = ["", "ünï", "😀", "\"\\/\u{7F}\u{2028}\u{FEFF}", "e\u{301}", "\\u0041", "/*'*/", controls]
    let strings = ChappieJSONValue.array(texts.map { .string($0) })
    let value: ChappieJSONValue = [
      "strings": strings, "numbers": [.integer(.min), .integer(.max), .number(0.1), .number(-1e-9)],
      "long numbers": [
        .number(4e53), .number(1e16), .number(.greatestFiniteMagnitude), .number(.leastNonzeroMagnitude),
      ],
      "nested": [[[:]], ["a": ["b": []]]], "words": [true, false, .null],
    ]
    #expect(try Self.parse(value.encoded) == value)
    #expect(try JSONDecoder().decode([String].self, from: Data(strings.encoded)) == texts)
  }
}
