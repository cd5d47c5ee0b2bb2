// SPDX-License-Identifier: Apache-2.0
import GLibBridge

struct EncodingTests {
  @Test(arguments: [
    ("work", "work"), ("ada@example.com", "ada@example.com"), ("", "''"), ("-x", "'-x'"), ("a b", "'a b'"),
    ("it's", #"'it'\''s'"#), ("$(id)", "'$(id)'"), ("~", "'~'"), ("ü", "'ü'"), ("a\nb", "'a\nb'"),
  ])
  func quotesTextAsOneWord(_ text: String, _ quoted: String) {
    #expect(ShellText.quoted(text) == quoted)
  }

  @Test func escapesMarkupCharacters() {
    #expect(Markup.escaped("a <b>&amp; 'c' \"d\" é🇦🇶") == "a &lt;b&gt;&amp;amp; &apos;c&apos; &quot;d&quot; é🇦🇶")
    #expect(Markup.escaped("<\u{301}&\u{301}") == "&lt;\u{301}&amp;\u{301}")
    #expect(Markup.escaped("a\0b") == "a\u{FFFD}b")
  }

  /// The examples of RFC 4648.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func encodesTheExamplesOfTheStandardInBase64(_ text: String, _ encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
    #expect(Base64.decode(encoded.utf8) == Array(text.utf8))
    let bytes = (UInt8.min...UInt8.max).suffix(200 + text.utf8.count)
    #expect(Base64.decode(Base64.encode(Array(bytes)).utf8) == Array(bytes))
  }

  @Test(arguments: ["Z", "Zg", "Zg=", "Zm9v\n", " Zm9", "Zm9*", "Zm-_", "Zm9v\0\0\0\0", "日本"])
  func decodesNoOtherText(_ text: String) {
    #expect(Base64.decode(text.utf8) == nil)
  }

  @Test func anIDIsANewUUIDInLowerCase() {
    let ids = Set((0..<100).map { _ in UniqueID.make() })
    #expect(ids.count == 100)
    #expect(ids.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil })
  }
}

struct ParsedURLTests {
  @Test func givesTheParts() throws {
    let url = try #require(ParsedURL("HTTPS://Example.ORG:8443/path?query#fragment"))
    #expect(url.scheme == "https")
    #expect(url.host == "example.org")
    #expect(!url.hasCredentials)
    #expect(ParsedURL("http://[::1]:8080/")?.host == "::1")
    #expect(try #require(ParsedURL("mailto:a@example.org")).host == nil)
    #expect(try #require(ParsedURL("file:///etc")).host == "")
  }

  @Test(arguments: ["https://user@example.org/", "https://user:word@example.org/", "https://@example.org/"])
  func detectsCredentials(_ text: String) {
    #expect(ParsedURL(text)?.hasCredentials == true)
  }

  @Test(arguments: [
    ("http://127.0.0.1:80/", true), ("https://127.9.9.9", true), ("http://[::1]:80", true), ("https://LOCALHOST", true),
    ("http://127.0.0.1.example.org", false), ("http://10.0.0.1", false), ("http://localhost.example.org", false),
    ("http://[::2]", false), ("mailto:localhost", false),
  ])
  func detectsTheLoopback(_ text: String, _ isLoopback: Bool) throws {
    #expect(try #require(ParsedURL(text)).isLoopback == isLoopback)
  }

  @Test(arguments: ["", "example.org", "/path", "//example.org/", "https://[::1/", "https://a:port/", "1http://a/"])
  func returnsNilForOtherText(_ text: String) {
    #expect(ParsedURL(text) == nil)
  }
}
