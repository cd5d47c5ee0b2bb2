// SPDX-License-Identifier: Apache-2.0
import Platform
import Testing

@Suite struct BoundsTests {
  @Test func numbersOutOfRangeAreNone() {
    for seconds in [Int64.min, -1, 253_402_300_800, .max] { #expect(Timestamp(seconds) == nil, "\(seconds)") }
    for number in [Double.nan, .infinity, -.infinity, -1, 1e308, 9.223372036854775807e18] {
      #expect(Timestamp(number) == nil, "\(number)")
      #expect(Count(number) == nil, "\(number)")
    }
    #expect(Timestamp(253_402_300_800.0) == nil)
    #expect(Count(9_007_199_254_740_994.0) == nil)
    // Fractions are dropped.
    #expect(Timestamp(1.9)?.unixSeconds == 1)
    #expect(Count(1.9)?.value == 1)
  }

  @Test func arithmeticEndsAtTheBounds() {
    for seconds in [Int64.min, -1, 0, 1, Int64.max] {
      for time in [Timestamp.distantPast, .now, .distantFuture] {
        #expect((Timestamp.distantPast...Timestamp.distantFuture).contains(time + seconds))
        #expect((Timestamp.distantPast...Timestamp.distantFuture).contains(time - seconds))
      }
    }
    #expect(Count.maximum + Count.maximum == .maximum)
    #expect(0 - Count.maximum == 0)
    #expect(Count(clamping: UInt64.max) == .maximum)
    #expect(Count(clamping: Int64.min) == 0)
  }
}
