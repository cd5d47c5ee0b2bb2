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
    "\\ud83d", "\\ude00", "\\ud83d!", "\\ud83d\\n", "\\ud83d\\u0041", "\\ud83d\\ud83d\\ude00", "\\ude00\\ud83d",
    "a\\ud83d", "\\ud83d\\u", "\\ud83d\\ude0", "\\ud83d\\\\ude00",
  ])
  func replacesALoneSurrogate(_ content: String) {
    let text = Self.decode(content.utf8)
    #expect(text.contains("\u{FFFD}"))
    #expect(!text.unicodeScalars.contains { $0.value == 0xDE00 })
  }

  @Test func keepsTextAroundALoneSurrogate() {
    #expect(Self.decode("a\\ud83db".utf8) == "a\u{FFFD}b")
    #expect(Self.decode("\\ud83d\\u0041".utf8) == "\u{FFFD}A")
    #expect(Self.decode("\\ud83d\\ud83d\\ude00".utf8) == "\u{FFFD}😀")
    #expect(Self.decode("\\ude00\\ud83d".utf8) == "\u{FFFD}\u{FFFD}")
    #expect(Self.decode("\\ud83d\\\\n".utf8) == "\u{FFFD}\\n")
  }

  /// No D-Bus string can contain U+0000.
  @Test func replacesU0000() {
    #expect(Self.decode("a\\u0000b".utf8) == "a\u{FFFD}b")
    #expect(Self.decode([97, 0, 98]) == "a\u{FFFD}b")
    #expect(!Self.decode([0, 0xFF, 0]).utf8.contains(0))
    #expect(Self.decode([97, .backslash, 0, 98]) == "a\u{FFFD}b")
  }

  @Test func replacesInvalidUTF8() {
    #expect(Self.decode([97, 0xFF, 98]) == "a\u{FFFD}b")
    #expect(Self.decode([0xC3]) == "\u{FFFD}")
    #expect(Self.decode([0xC3, 0x28] + Array("\\n".utf8)) == "\u{FFFD}(\n")
  }

  @Test(arguments: ["\\", "a\\", "\\u", "\\u1", "\\u12", "\\u123", "\\u123g", "\\uzzzz", "\\u+123", "\\x", "\\u００４１"])
  func brokenEscapesGiveText(_ content: String) {
    let text = Self.decode(content.utf8)
    #expect(!text.isEmpty)
    #expect(!text.utf8.contains(0))
  }

  @Test func decodesARangeOfTheBytes() {
    let bytes = Array("\\n\"a\\tb\"\\n".utf8)
    #expect(JSONText.decode(bytes.span, 3..<7) == "a\tb")
    #expect(JSONText.decode(bytes.span, 3..<3) == "")
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
