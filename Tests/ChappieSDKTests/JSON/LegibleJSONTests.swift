// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

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
