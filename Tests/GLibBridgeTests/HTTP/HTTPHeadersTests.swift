// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

struct HTTPHeadersTests {
  @Test func ignoresTheCaseOfNames() {
    var headers = HTTPHeaders()
    headers.append("Content-Type", "text/plain")
    #expect(headers["content-type"] == "text/plain")
    #expect(headers["CONTENT-TYPE"] == "text/plain")
    #expect(headers["content"] == nil)
  }

  @Test func returnsTheFirstOfEqualNamesAndKeepsTheOrder() {
    var headers = HTTPHeaders()
    headers.append("B", "1")
    headers.append("a", "2")
    headers.append("b", "3")
    #expect(headers["b"] == "1")
    #expect(headers.names == ["b", "a", "b"])
  }
}

struct HTTPDateTests {
  /// The example of RFC 9110, section 5.6.7, in its three formats.
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func parsesTheThreeFormats(_ text: String) {
    #expect(HTTPDate.unixSeconds(text) == 784_111_777)
  }

  @Test func parsesTheEpochAndLateDates() {
    #expect(HTTPDate.unixSeconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(HTTPDate.unixSeconds("Fri, 31 Dec 9999 23:59:59 GMT") == 253_402_300_799)
  }

  @Test(arguments: ["", "soon", "120", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06"])
  func returnsNilForOtherText(_ text: String) {
    #expect(HTTPDate.unixSeconds(text) == nil)
  }
}
