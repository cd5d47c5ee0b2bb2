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
