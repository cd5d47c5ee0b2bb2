// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

struct BusNameTests {
  @Test(arguments: ["org.chappie", "a.b", "org.example.App-1", "_a._b"])
  func acceptsWellKnownNames(_ name: String) {
    #expect(BusName.isWellKnown(name))
  }

  @Test(arguments: [
    "", ":1.42", "org", ".org.a", "org..a", "org.a.", "org.1a", "org.a/b", "org.ä", "org.a\0b", "org.a b",
  ])
  func rejectsOtherNames(_ name: String) {
    #expect(!BusName.isWellKnown(name))
    #expect(!BusName.isWellKnown("a.b." + String(repeating: "c", count: 252)))
  }
}
