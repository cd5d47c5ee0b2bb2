// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

/// A credential goes only to HTTPS or to this machine. The tests try every form of address that could pass for either.
struct WebAddressTests {
  @Test(arguments: [
    "https://example.org", "HTTPS://EXAMPLE.ORG/path", "https://example.org:8443/?q#f", "https://127.0.0.1",
    "https://[::1]/", "http://127.0.0.1", "http://127.0.0.1:8080/path", "HTTP://127.0.0.1", "http://127.255.255.254",
    "http://localhost", "http://LocalHost:80", "http://[::1]", "http://[::1]:8080/",
  ])
  func acceptsAnyHTTPSHostAndTheLoopback(_ text: String) throws {
    let address = try #require(ParsedURL(web: text))
    #expect(address.scheme == (text.lowercased().hasPrefix("https") ? "https" : "http"))
    #expect(address.scheme == "https" || address.isLoopback)
  }

  @Test(arguments: [
    "http://example.org", "http://127.0.0.1.evil.com", "http://127.evil.com", "http://127.1", "http://127.0.1",
    "http://2130706433", "http://0x7f000001", "http://0x7f.0.0.1", "http://0177.0.0.1", "http://127.0.0.256",
    "http://127.0.0.1.", "http://127.0.0.", "http://127.0.0.1e0", "http://127.+0.0.1", "http://127.0.0.-1",
    "http://127.0..1", "http://128.0.0.1", "http://0.0.0.0", "http://10.0.0.1", "http://localhost.evil.com",
    "http://evil-localhost", "http://localhost.", "http://[::]", "http://[::2]", "http://[fe80::1]",
    "http://[::ffff:8.8.8.8]", "http://evil.com/127.0.0.1", "http://evil.com?@127.0.0.1", "http://evil.com#@127.0.0.1",
    "http://127.0.0.1 .evil.com", "http://127.0.0.1%00.evil.com", "http://127.0.0.1%2eevil.com",
  ])
  func refusesLookalikesOfTheLoopback(_ text: String) {
    let address = ParsedURL(web: text)
    #expect(address?.isLoopback != true)
    #expect(address?.scheme != "https")
  }

  @Test(arguments: [
    "", "example.org", "//example.org", "/path", "https:", "https://", "https:///path", "http://:80/",
    "ftp://example.org",
    "file:///etc/passwd", "ws://127.0.0.1", "httpss://example.org", "javascript:https://example.org",
    "https://user@example.org", "https://user:word@example.org", "https://@example.org", "http://127.0.0.1@evil.com",
    "http://127.0.0.1:80@evil.com", "http://localhost\\@evil.com", "https://[::1", "https://example.org:port",
    " https://example.org",
  ])
  func refusesOtherText(_ text: String) {
    #expect(ParsedURL(web: text) == nil)
  }
}
