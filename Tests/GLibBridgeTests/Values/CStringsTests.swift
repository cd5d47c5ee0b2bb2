// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GLibBridge

struct CStringsTests {
  @Test func passesTheStringsAndANullPointer() throws {
    let strings = ["one", "", "zwö"]
    withCStrings(strings) { pointers in
      for (index, string) in strings.enumerated() {
        #expect(pointers[index].map { String(cString: $0) } == string)
      }
      #expect(pointers[strings.count] == nil)
    }
    withCStrings([]) { #expect($0[0] == nil) }
  }

  @Test func rethrowsTheErrorOfTheBody() {
    #expect(throws: CancellationError.self) {
      try withCStrings(["one"]) { _ in throw CancellationError() }
    }
  }
}
