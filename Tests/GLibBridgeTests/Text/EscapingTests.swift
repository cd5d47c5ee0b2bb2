// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

struct ShellTextTests {
  @Test(arguments: [
    ("work", "work"), ("ada@example.com", "ada@example.com"), ("", "''"), ("-x", "'-x'"), ("a b", "'a b'"),
    ("it's", #"'it'\''s'"#), ("$(id)", "'$(id)'"), ("~", "'~'"), ("ü", "'ü'"), ("a\nb", "'a\nb'"),
  ])
  func quotesTextAsOneWord(_ text: String, _ quoted: String) {
    #expect(ShellText.quoted(text) == quoted)
  }
}

struct MarkupTests {
  @Test func escapesMarkupCharacters() {
    #expect(Markup.escaped("a <b>&amp; 'c' \"d\" é🇦🇶") == "a &lt;b&gt;&amp;amp; &apos;c&apos; &quot;d&quot; é🇦🇶")
    #expect(Markup.escaped("<\u{301}&\u{301}") == "&lt;\u{301}&amp;\u{301}")
    #expect(Markup.escaped("a\0b") == "a\u{FFFD}b")
  }
}
