// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

struct HTTPHeadersTests {
  @Test func keepTheirOrderAndIgnoreTheCaseOfNames() {
    var headers = HTTPHeaders()
    for (name, value) in [("Content-Type", "text/plain"), ("B", "1"), ("b", "3")] { headers.append(name, value) }
    #expect(headers["content-type"] == "text/plain")
    #expect(headers["CONTENT-TYPE"] == "text/plain")
    #expect(headers["content"] == nil)
    #expect(headers["b"] == "1", "the first of equal names")
    #expect(headers.names == ["content-type", "b", "b"])
  }
}

struct HTTPDateTests {
  /// The example of RFC 9110, section 5.6.7, in its three formats, the epoch and a late date.
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ] as [(String, Int64)])
  func parsesTheThreeFormats(_ text: String, _ seconds: Int64) {
    #expect(HTTPDate.unixSeconds(text) == seconds)
  }

  @Test(arguments: ["", "soon", "120", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06"])
  func returnsNilForOtherText(_ text: String) {
    #expect(HTTPDate.unixSeconds(text) == nil)
  }
}
