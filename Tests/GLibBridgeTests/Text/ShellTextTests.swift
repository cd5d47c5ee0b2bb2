import Testing

@testable import GLibBridge

struct ShellTextTests {
  @Test(arguments: [
    ("work", "work"), ("ada@example.com", "ada@example.com"), ("", "''"), ("-x", "'-x'"), ("a b", "'a b'"),
    ("it's", #"'it'\''s'"#), ("$(id)", "'$(id)'"), ("~", "'~'"), ("ü", "'ü'"), ("a\nb", "'a\nb'"),
  ])
  func isOneWordForAShell(_ text: String, _ quoted: String) {
    #expect(ShellText.quoted(text) == quoted)
  }
}
