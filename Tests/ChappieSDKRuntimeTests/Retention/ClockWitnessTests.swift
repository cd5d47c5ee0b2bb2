// SPDX-License-Identifier: Apache-2.0
import Platform
import Testing

@testable import ChappieSDKRuntime

struct ClockWitnessTests {
  private static let day: Int64 = 86_400
  private let monday = Timestamp(clamping: 1_800_000_000)

  /// Each process checks the clock before a server has told it the time, and this one runs every other day.
  @Test func aClockIsBelievedByThoseWhoDoNotLogInDaily() {
    var clock = ClockWitness()
    var isBelieved: [Bool] = []
    for days: Int64 in [0, 2, 4] {
      let now = monday + days * Self.day
      isBelieved.append(clock.believes(now, after: monday, serverTime: nil))
      isBelieved.append(clock.believes(now, after: monday, serverTime: now))
    }
    #expect(isBelieved == [false, false, false, true, false, true])
  }

  @Test func aClockThatAServerContradictsWaitsAnew() {
    var clock = ClockWitness()
    var isBelieved: [Bool] = []
    isBelieved.append(clock.believes(monday, after: monday, serverTime: monday))
    let ahead = monday + 3 * Self.day
    isBelieved.append(clock.believes(ahead, after: monday, serverTime: monday))
    isBelieved.append(clock.believes(ahead, after: monday, serverTime: ahead))
    isBelieved.append(clock.believes(ahead + Self.day, after: monday, serverTime: ahead + Self.day))
    #expect(isBelieved == [false, false, false, true])
  }

  /// A thread that is newer than the clock was written by another one.
  @Test func aClockThatWasSetBackIsNotBelieved() {
    var clock = ClockWitness()
    var isBelieved: [Bool] = []
    isBelieved.append(clock.believes(monday, after: monday, serverTime: monday))
    isBelieved.append(clock.believes(monday + Self.day, after: monday + 2 * Self.day, serverTime: nil))
    isBelieved.append(clock.believes(monday + Self.day, after: monday, serverTime: monday + Self.day))
    #expect(isBelieved == [false, false, false])
  }
}
