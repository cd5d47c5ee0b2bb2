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
