// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Platform

@Suite struct LocalizedNumberTests {
  /// The tests run in the locale C.UTF-8 or C, which has no groups.
  @Test func numbersHaveTheirDigits() {
    #expect([0, -1, 1_234_567, .max].map { LocalizedNumber.text($0) } == ["0", "-1", "1234567", "\(Int.max)"])
    #expect(LocalizedNumber.text(1.25, decimals: 1) == "1.2")
    #expect(LocalizedNumber.text(9.96, decimals: 1) == "10.0")
    #expect(LocalizedNumber.text(.greatestFiniteMagnitude, decimals: 0).count == 309)
  }
}
