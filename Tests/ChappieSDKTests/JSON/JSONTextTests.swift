// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

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
