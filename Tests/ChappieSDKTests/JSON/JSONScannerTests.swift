// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// Comparison of the scanner with Foundation's decoder.
struct JSONScannerTests {
  /// The members that the scanner finds. ``JSONText`` decodes strings, Foundation decodes other values. Nil if the
  /// scanner finds no object.
  private static func scan(_ bytes: [UInt8]) -> [String: ChappieJSONValue?]? {
    var members: [String: ChappieJSONValue?] = [:]
    let json = bytes.span
    let isObject = JSONScanner.members(of: json) { key, value in
      let name = JSONText.decode(json, key)
      if let content = JSONScanner.stringContent(json, value) {
        members[name] = .some(.string(JSONText.decode(json, content)))
      } else {
        members.updateValue(try? ChappieJSONValue(foundation: bytes[value]), forKey: name)
      }
    }
    return isObject ? members : nil
  }

  /// - Returns: whether Foundation finds an object. If not, there is nothing to compare.
  private static func expectAgreement(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
    guard let expected = (try? ChappieJSONValue(foundation: bytes))?.objectValue else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let found = scan(bytes) else {
      Issue.record("not taken for an object: \(text)", sourceLocation: sourceLocation)
      return true
    }
    // U+0000 is the only intended difference, because no D-Bus string can contain it.
    #expect(found == expected.mapValues { $0.withoutZeros }, "\(text)", sourceLocation: sourceLocation)
    return true
  }

  @Test(arguments: [
    "{}", " { } ", "\r\n\t{}\n", "{\"a\":1}", "{\"a\" : -1.5e+3 , \"b\":true,\"c\":false,\"d\":null}",
    "{\"\":\"\"}", "{\"a\":\"}\",\"b\":\"]\",\"c\":\"{\",\"d\":\"\\\"\",\"e\":\"\\\\\"}",
    "{\"a\":{\"b\":{\"c\":[[],[{}],[\"]}\"]]}},\"d\":[]}", "{\"k\\u0065y\":\"v\\u0061lue\"}", "{\"a\":\"\\u0000\"}",
    "{\"delta\":\"Grüß dich, 😀\",\"type\":\"x\"}", "{\"a\":\"\u{7F}\u{2028}\"}", "{\"a\":12345678901234567890}",
  ])
  func agreesWithFoundation(_ text: String) {
    #expect(Self.expectAgreement(Array(text.utf8)), "the example itself is wrong")
  }

  /// If Foundation still finds an object after some bytes change, the scanner finds the same one.
  @Test func agreesWithFoundationOnRandomObjectsAndAfterChangedBytes() {
    var source = RandomJSON(seed: 2)
    var random = SeededGenerator(seed: 3)
    var objects = 0
    for _ in 0..<2000 {
      let text = source.object()
      #expect(Self.expectAgreement(Array(text.utf8)), "the example itself is wrong: \(text)")
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] =
          [UInt8.random(in: 0...255, using: &random), .quote, .backslash, .openBrace, .closeBrace, .comma]
          .randomElement(using: &random) ?? 0
      }
      // Foundation accepts a trailing comma, which is not valid JSON.
      let hasTrailingComma = String(decoding: bytes, as: UTF8.self).contains(/,\s*\}/)
      if Self.scan(bytes) != nil || !hasTrailingComma, Self.expectAgreement(bytes) { objects += 1 }
    }
    #expect(objects > 100)
  }

  @Test func refusesATruncatedObject() {
    var source = RandomJSON(seed: 4)
    for _ in 0..<200 {
      let bytes = Array(source.object().utf8)
      let end = (bytes.lastIndex(of: .closeBrace) ?? 0) + 1
      for count in 0..<end {
        #expect(Self.scan(Array(bytes.prefix(count))) == nil, "\(String(decoding: bytes.prefix(count), as: UTF8.self))")
      }
    }
  }

  @Test(arguments: [
    "", " ", "null", "1", "\"a\"", "[]", "[{}]", "{", "}", "{}}", "{}{}", "{} x", "x{}", "\u{FEFF}{}", "{,}", "{\"a\"}",
    "{\"a\":}", "{\"a\":1,}", "{,\"a\":1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1;\"b\":2}", "{a:1}", "{'a':1}",
    "{1:1}", "{\"a\":1", "{\"a\":\"x}", "{\"a\":\"x\\\"}", "{\"a\":[1}", "{\"a\":{}", "{\"a\":[\"]}", "{\"a\"::1}",
    "{\"a\":1,,\"b\":2}", "{\"a\\", "{\"a\":\"\\",
  ])
  func refusesAnythingButAnObject(_ text: String) {
    #expect(Self.scan(Array(text.utf8)) == nil)
    #expect(JSONScanner.value(of: "a", in: Array(text.utf8).span) == nil)
  }

  @Test func deepNestingNeedsNoStack() {
    let depth = 1_000_000
    let text = "{\"a\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
    let bytes = Array(text.utf8)
    #expect(JSONScanner.value(of: "a", in: bytes.span) == 5..<(bytes.count - 1))
  }

  // MARK: Single members

  /// As the reader does, although it reads no other member.
  @Test(arguments: [
    (#"{"a\u0062":1}"#, "1"), (#"{"a\\b":1,"a\n":2}"#, nil), (#"{"ab":1,"ab":1}"#, nil),
    (#"{"ab":1,"\u0061b":2,"x":3}"#, nil), (#"{"x":1,"ab":2,"x":3}"#, "2"),
    // The whole name counts, and only here.
    (#"{"a":1,"ab":22,"abc":333,"":4}"#, "22"), (#"{"ab":{"x":4}}"#, #"{"x":4}"#), (#"{"n":{"ab":4}}"#, nil),
  ])
  func readsNamesAsTheReaderDoes(_ text: String, _ value: String?) {
    let bytes = Array(text.utf8)
    #expect(JSONScanner.value(of: "ab", in: bytes.span).map { String(decoding: bytes[$0], as: UTF8.self) } == value)
  }

  @Test(arguments: [(#"{"ab":"word"}"#, "word"), (#"{"ab":""}"#, ""), (#"{"ab":1}"#, nil), (#"{"ab":["a"]}"#, nil)])
  func onlyAStringHasStringContent(_ text: String, _ content: String?) {
    let bytes = Array(text.utf8)
    let json = bytes.span
    let range = JSONScanner.value(of: "ab", in: json).flatMap { JSONScanner.stringContent(json, $0) }
    #expect(range.map { String(decoding: bytes[$0], as: UTF8.self) } == content)
  }

  @Test func readsARangeOfTheBytes() {
    let bytes = Array("junk{\"a\":1}junk".utf8)
    var keys: [Range<Int>] = []
    #expect(JSONScanner.members(of: bytes.span, in: 4..<11) { key, _ in keys.append(key) })
    #expect(keys == [6..<7])
    #expect(!JSONScanner.members(of: bytes.span, in: 4..<12) { _, _ in })
    #expect(!JSONScanner.members(of: bytes.span, in: 3..<11) { _, _ in })
  }
}

extension ChappieJSONValue {
  fileprivate var withoutZeros: ChappieJSONValue? {
    guard case .string(let text) = self else { return self }
    return .string(String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })))
  }
}

struct JSONTextTests {
  private static func decode(_ content: some Collection<UInt8>) -> String {
    let bytes = Array(content)
    return JSONText.decode(bytes.span, 0..<bytes.count)
  }

  @Test(arguments: [
    ("", ""), ("plain", "plain"), ("Grüß dich, 😀", "Grüß dich, 😀"), ("\\\"\\\\\\/", "\"\\/"),
    ("\\b\\f\\n\\r\\t", "\u{8}\u{C}\n\r\t"), ("a\\u0041b", "aAb"), ("\\u00e4\\u00C4", "äÄ"), ("\\u20ac", "€"),
    ("\\ud83d\\ude00", "😀"), ("x\\uD83D\\uDE00y", "x😀y"), ("\\udbff\\udfff", "\u{10FFFF}"), ("\\uFFFF", "\u{FFFF}"),
    ("e\\u0301", "e\u{301}"), ("\\u005c\\u0022", "\\\""), ("\\\\u0041", "\\u0041"), ("\\\\n", "\\n"),
  ])
  func agreesWithFoundation(_ content: String, _ text: String) throws {
    #expect(Self.decode(content.utf8).utf8.elementsEqual(text.utf8))
    #expect(try ChappieJSONValue(foundation: "\"\(content)\"".utf8) == .string(text), "the example itself is wrong")
  }

  @Test(arguments: [
    ("\\ud83d", "\u{FFFD}"), ("\\ude00", "\u{FFFD}"), ("\\ud83d!", "\u{FFFD}!"), ("\\ud83d\\n", "\u{FFFD}\n"),
    ("\\ud83d\\u0041", "\u{FFFD}A"), ("\\ud83d\\ud83d\\ude00", "\u{FFFD}😀"),
    ("\\ude00\\ud83d", "\u{FFFD}\u{FFFD}"), ("a\\ud83db", "a\u{FFFD}b"), ("\\ud83d\\u", "\u{FFFD}\u{FFFD}"),
    ("\\ud83d\\ude0", "\u{FFFD}\u{FFFD}de0"), ("\\ud83d\\\\ude00", "\u{FFFD}\\ude00"),
  ])
  func replacesALoneSurrogate(_ content: String, _ text: String) {
    #expect(Self.decode(content.utf8) == text)
  }

  /// No D-Bus string can contain U+0000.
  @Test(
    arguments: [
      (Array("a\\u0000b".utf8), "a\u{FFFD}b"), ([97, 0, 98], "a\u{FFFD}b"), ([97, 0x5C, 0, 98], "a\u{FFFD}b"),
      ([0, 0xFF, 0], "\u{FFFD}\u{FFFD}\u{FFFD}"), ([97, 0xFF, 98], "a\u{FFFD}b"), ([0xC3], "\u{FFFD}"),
      ([0xC3, 0x28] + Array("\\n".utf8), "\u{FFFD}(\n"),
    ] as [([UInt8], String)])
  func replacesU0000AndInvalidUTF8(_ content: [UInt8], _ text: String) {
    #expect(Self.decode(content) == text)
  }

  @Test(arguments: ["\\", "a\\", "\\u", "\\u1", "\\u12", "\\u123", "\\u123g", "\\uzzzz", "\\u+123", "\\x", "\\u００４１"])
  func brokenEscapesGiveText(_ content: String) {
    let text = Self.decode(content.utf8)
    #expect(!text.isEmpty)
    #expect(!text.utf8.contains(0))
  }
}

struct LegibleJSONTests {
  @Test(arguments: [
    ("", ""), ("{}", "{}"), ("  { \n\t }  ", "{ }"), (#"{"a":1,"a":2e400}"#, #"{"a":1,"a":2e400}"#),
    (#""\u0072\u006D \u002drf""#, #""rm -rf""#), (#""\u0022\u005c\"\\""#, #""\"\\\"\\""#),
    (#""\/\b\f\n\r\t""#, #""/\b\f\n\r\t""#), (#""\ud83d\ude00""#, "\"😀\""), (#""\ud83dx""#, #""\ud83dx""#),
    (#""\ude00\ud83d""#, #""\ude00\ud83d""#), (#""\u202e\u0000\u00A0""#, #""\u202e\u0000\u00a0""#),
    ("\"\u{202E}\u{200B}\u{FEFF}\u{2800}\u{3164}\u{1B}\"", #""\u202e\u200b\ufeff\u2800\u3164\u001b""#),
    ("\"\u{E0041}\"", #""\u{e0041}""#), ("\"é東\"", "\"é東\""), (#""a"#, #""a"#), (#""\u12"#, #""\u12"#),
    (#""\"#, #""\"#),
  ])
  func resolvesEscapesOfVisibleCharacters(_ json: String, _ legible: String) {
    #expect(LegibleJSON(json).text == legible)
  }

  @Test func longSpacesInStringsAreGaps() {
    #expect(!LegibleJSON(#"{"a":   "b   c   "}"#).hasGaps)
    #expect(LegibleJSON(#"{"a":"b    c"}"#).hasGaps)
    #expect(LegibleJSON(#""\u0020 \u0020 ""#).hasGaps)
    // Spaces between strings do not matter and are not shown.
    #expect(!LegibleJSON("{\"a\":\(String(repeating: " ", count: 1000))1}").hasGaps)
  }

  /// The time limit fails if the reading takes quadratic time.
  @Test(.timeLimit(.minutes(1))) func readsLongStringsOnce() {
    #expect(LegibleJSON("\"" + String(repeating: #"\u0061"#, count: 500_000) + "\"").text.utf8.count == 500_002)
    #expect(LegibleJSON("\"" + String(repeating: #"\ud83d"#, count: 100_000)).text.utf8.count == 600_001)
  }
}
