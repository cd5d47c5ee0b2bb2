// SPDX-License-Identifier: Apache-2.0
import Platform
import Testing

@Suite struct BoundsTests {
  @Test(arguments: [Int64.min, -1, 253_402_300_800, .max]) func timesOutOfRangeAreNone(_ seconds: Int64) {
    #expect(Timestamp(seconds) == nil)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1e308, 253_402_300_800, 9.223372036854775807e18])
  func numbersThatAreNoTimeAreNone(_ seconds: Double) {
    #expect(Timestamp(seconds) == nil)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1e308, 9_007_199_254_740_994])
  func numbersThatAreNoCountAreNone(_ number: Double) {
    #expect(Count(number) == nil)
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

  @Test func fractionsAreDropped() {
    #expect(Timestamp(1.9)?.unixSeconds == 1)
    #expect(Count(1.9)?.value == 1)
  }
}
