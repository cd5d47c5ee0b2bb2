// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

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
