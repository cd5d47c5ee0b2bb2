// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

@testable import ChappieSDK

struct ChappieJSONValueTests {
  private static let sample: ChappieJSONValue = [
    "text": "a\"b\n", "list": [1, 2.5, true, .null, []], "object": ["b": -1, "a": [:]],
    "huge": [.integer(.max), .integer(.min), 1e300],
  ]

  @Test func isWrittenAndReadAsOneLineWithSortedKeys() throws {
    let text = #","list":[1,2.5,true,null,[]],"object":{"a":{},"b":-1},"text":"a\"b\n"}"#
    #expect(Self.sample.json.hasSuffix(text))
    #expect(try ChappieJSONValue(json: Self.sample.json) == Self.sample)
    let encoded = try JSONEncoder().encode(Self.sample)
    #expect(try JSONDecoder().decode(ChappieJSONValue.self, from: encoded) == Self.sample)
    #expect(try ChappieJSONValue(json: String(decoding: encoded, as: UTF8.self)) == Self.sample)
    // What cannot be written is replaced.
    let value: ChappieJSONValue = [.number(.nan), .number(.infinity), "a\0b", ["\0key": 1]]
    #expect(value.json == "[null,null,\"a\u{FFFD}b\",{\"\u{FFFD}key\":1}]")
    let literal: ChappieJSONValue = ["a": 1, "a": 2]
    #expect(literal == ["a": 2], "the last one wins")
  }

  /// Also names that `String` takes for one, and those that only become alike in reading.
  @Test(arguments: [
    #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"[{"b":{"a":null,"x":0,"a":null}}]"#, #"{"\u00e9":1,"e\u0301":2}"#,
    "{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"K\":1,\"\u{212A}\":2}", #"{"\ud800":1,"\udfff":2}"#, #"{"":1,"":2}"#,
  ])
  func refusesANameTwice(_ json: String) {
    #expect(throws: ChappieClientError.self) { try ChappieJSONValue(json: json) }
  }

  @Test func comparesNamesAndStringsByTheirBytes() throws {
    let value = try ChappieJSONValue(json: #"{"e\u0301":"e\u0301","\u212a":1}"#)
    #expect(value["\u{E9}"] == nil && value["K"] == nil)
    #expect(value["e\u{301}"] == "e\u{301}" && value["e\u{301}"] != "\u{E9}")
    #expect(value != ["\u{E9}": "e\u{301}", "\u{212A}": 1] && value == ["e\u{301}": "e\u{301}", "\u{212A}": 1])
  }

  /// The test compares valid texts and texts with one changed byte. It skips three differences: Foundation refuses a
  /// lone surrogate, keeps U+0000 and accepts a trailing comma.
  @Test func agreesWithFoundation() throws {
    let bytes = Array("{}[],:\"\\01289-+.eEtrufalsn/'x \n".utf8)
    var random = SeededGenerator(seed: 4)
    var (taken, refused) = (0, 0)
    for seed in UInt64(0)..<400 {
      var maker = RandomJSON(seed: seed)
      let text = maker.object()
      #expect(try ChappieJSONValue(json: text) == Self.foundation(text), "\(text)")
      for _ in 0..<10 {
        var changed = Array(text.utf8)
        let byte = bytes.randomElement(using: &random) ?? 0
        changed[Int.random(in: changed.indices, using: &random)] = byte
        let broken = String(decoding: changed, as: UTF8.self)
        let lower = broken.lowercased()
        guard !lower.contains("\\ud"), !lower.contains("\\u0000"), !lower.contains(/,\s*[}\]]/),
          Array(broken.utf8) == changed
        else { continue }
        let expected = Self.foundation(broken)
        if expected == nil { refused += 1 } else { taken += 1 }
        #expect((try? ChappieJSONValue(json: broken)) == expected, "\(broken)")
      }
    }
    #expect(taken > 300 && refused > 300)
  }

  private static func foundation(_ text: String) -> ChappieJSONValue? {
    try? ChappieJSONValue(foundation: text.utf8)
  }

  @Test func accessorsMatchTheType() throws {
    let (list, text) = (try #require(Self.sample["list"]), try #require(Self.sample["text"]))
    #expect(list[0]?.integerValue == 1 && list[0]?.numberValue == 1 && list[1]?.integerValue == nil)
    #expect(list[5] == nil && list[-1] == nil && Self.sample["none"] == nil && text["a"] == nil && text[0] == nil)
    #expect(ChappieJSONValue.number(3).integerValue == 3)
    #expect(text.integerValue == nil && text.numberValue == nil && text.boolValue == nil && !text.isNull)
    #expect(text.arrayValue == nil && text.objectValue == nil && ChappieJSONValue.null.stringValue == nil)
  }

  @Test func numbersAreEqualByValue() {
    #expect(ChappieJSONValue.integer(1) == .number(1) && ChappieJSONValue.number(1) == .integer(1))
    #expect(ChappieJSONValue.integer(1) != .number(1.5) && ChappieJSONValue.integer(1) != .bool(true))
    #expect(ChappieJSONValue.integer(.max) != .number(Double(Int64.max)))
    #expect(Set<ChappieJSONValue>([.integer(1), .number(1), [1], [1.0], .null, false, "1"]).count == 5)
  }

  // MARK: Reading

  private static func parse(_ text: String) throws -> ChappieJSONValue { try parse(Array(text.utf8)) }

  private static func parse(_ bytes: [UInt8], limit: Int = ChappieJSONValue.valueLimit) throws -> ChappieJSONValue {
    try ChappieJSONValue(parsing: bytes.span, valueLimit: limit)
  }

  @Test(
    arguments: [
      ("\"a\"", "a"), ("true", true), (#"{"a":{"b":[{"c":"d"}]},"":"e"}"#, ["a": ["b": [["c": "d"]]], "": "e"]),
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
    #"{"a":"b}"#, "*", "", " ", "/**/[1]", "[1]/**/", "['a']", "{'a':1}", #"{"a":/*"*/1}"#, "var a = 1;", "[1] [2]",
    "1 2", "{}[]", "0x10", "[010]", "[1.]", "[.5]", "[1e400]", "-", "[1e]", "[1.e1]", "[+1]", "[1e+]", "[--1]",
    "[True]", "\"\\q\"", "\"\\101\"", "\"\\u00zz\"", "\"\\u00", "\"a\nb\"", "\"a\tb\"", "[\0]",
  ])
  func refusesInvalidJSON(_ text: String) {
    #expect(throws: JSONProblem.self) { try Self.parse(text) }
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
    #expect(throws: JSONProblem.malformed) { try Self.parse([0x22, 0xFF, 0x22]) }
  }

  @Test func numbersAreReadInTheirRange() throws {
    let value = try Self.parse("{\"s\":\"a\",\"i\":7,\"d\":2.5}")
    #expect(value["i"]?.count == 7 && value["i"]?.time == Timestamp(Int64(7)) && value["s"]?.time == nil)
    #expect(value["d"]?.count == 2 && value["d"]?.number(in: 2...2) == 2 && value["d"]?.number(in: 3...9) == nil)
    // A number from a server must not crash this process.
    for number in ["1e300", "-1e300", "1e19", "9223372036854775807", "-9223372036854775808"] {
      let value = try Self.parse(number)
      #expect(value.count == nil && value.time == nil && value.number(in: 0...1) == nil, "\(number)")
      #expect(value.numberValue == Double(number))
    }
  }

  @Test func encodingRoundTrips() throws {
    let controls = String(String.UnicodeScalarView((1...0x1F).compactMap { Unicode.Scalar($0) }))
    let texts = ["", "ünï", "😀", "\"\\/\u{7F}\u{2028}\u{FEFF}", "e\u{301}", "\\u0041", "/*'*/", controls]
    let strings = ChappieJSONValue.array(texts.map { .string($0) })
    let numbers = [0.1, -1e-9, 4e53, 1e16, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
    let value: ChappieJSONValue = [strings, .array(numbers.map { .number($0) }), [[[:]], ["a": ["b": []]]]]
    #expect(try Self.parse(value.encoded) == value)
    #expect(try JSONDecoder().decode([String].self, from: Data(strings.encoded)) == texts)
  }
}
