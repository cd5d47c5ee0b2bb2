// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

struct RegularExpressionTests {
  @Test(arguments: [
    ("b", "abc", true), ("^b", "abc", false), ("^$", "", true), ("^a$", "a\n", false), ("^a\\u0062$", "ab", true),
    ("^\\\\u0062$", "\\u0062", true), ("^[\\u0061-\\u0063]+$", "abc", true), ("^\\\\", "\\", true), ("ü", "für", true),
    ("^.$", "😀", true), ("^\\d{3}-[A-Z]+$", "123-AB", true),
  ])
  func matchesAsJavaScriptDoes(_ pattern: String, _ text: String, _ matches: Bool) throws {
    #expect(try (RegularExpression(pattern).replacing(in: text, with: "-") != text) == matches)
  }

  @Test(arguments: [
    ("b", "abcb", "a-c-"), ("x", "abc", "abc"), ("ü+", "füür", "f-r"), ("^$", "", "-"), ("a*", "", "-"),
    ("[a-c]", "a\0z", "-\u{FFFD}z"), ("b", "", ""),
  ])
  func replacesEachMatch(_ pattern: String, _ text: String, _ result: String) throws {
    #expect(try RegularExpression(pattern).replacing(in: text, with: "-") == result)
  }

  @Test func insertsTheReplacementLiterally() throws {
    #expect(try RegularExpression("(b)").replacing(in: "abc", with: "\\1\\0$1") == "a\\1\\0$1c")
  }

  @Test(arguments: ["[", "(", "a{2,1}", "*", "\\", "(*UTF)a", "(*LIMIT_MATCH=1)a", "\\u00", "a\0"])
  func throwsForAnInvalidPattern(_ pattern: String) {
    #expect(throws: GLibError.self) { try RegularExpression(pattern) }
  }

  @Test func throwsWhenAMatchTakesExponentialTimeOrTooMuchMemory() throws {
    let text = String(repeating: "a", count: 100) + "b"
    #expect(throws: GLibError.self) { try RegularExpression("^(a|a)*$").replacing(in: text, with: "") }
    #expect(throws: GLibError.self) { try RegularExpression("^(a+)+$").replacing(in: text, with: "") }
    let long = String(repeating: "a", count: 5_000_000)
    #expect(throws: GLibError.self) { try RegularExpression("(a|b)*c").replacing(in: long, with: "") }
    #expect(try RegularExpression("^a+$").replacing(in: long, with: "") == "")
  }
}
