// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The time of an issuer, from what it told and from two clocks of this machine.
struct IssuerClockTests {
  private static let told: Timestamp = 1_800_000_000

  private static func local(_ wall: Int64, _ uptime: Int64, _ boot: String = "b") -> ClockReading {
    ClockReading(wall: told + wall, boot: BootTime(bootID: boot, seconds: uptime))
  }

  /// The time when `local` shows `now`; it showed the wall's `ahead` and the uptime 100 when the issuer told its own.
  private static func time(ahead: Int64 = 0, at now: ClockReading) throws -> IssuerTime {
    try #require(IssuerReading(issuer: told, local: local(ahead, 100))).time(at: now)
  }

  @Test(arguments: [0, 3600, -3600, 400_000_000] as [Int64])
  func theWallClockMayBeWrong(_ ahead: Int64) throws {
    #expect(try Self.time(ahead: ahead, at: Self.local(ahead + 50, 150)) == .known(Self.told + 50))
    // Both drop fractions.
    #expect(try Self.time(ahead: ahead, at: Self.local(ahead + 49, 150)) == .known(Self.told + 49))
    #expect(try Self.time(ahead: ahead, at: Self.local(ahead + 43_200, 43_300)) == .known(Self.told + 43_200))
  }

  /// After a clock was set, or the machine was restarted, and when what was told is old. No time is before the one that
  /// was told.
  @Test(
    arguments: [
      (0, local(3650, 150), 50...3650), (0, local(53, 150), 50...53), (0, local(47, 150), 47...50),
      (0, local(1, 150), 1...50), (0, local(-86_400, 150), 0...50), (0, local(-86_400, 5, "next"), 0...0),
      (3600, local(3650, 150, "next"), 50...50), (3600, local(3650, 99), 50...50),
      (3600, local(3650, 150, ""), 50...50), (0, local(43_201, 43_301), 43_201...43_201),
    ] as [(Int64, ClockReading, ClosedRange<Int64>)])
  func anUncertainTimeIsARange(_ ahead: Int64, _ now: ClockReading, _ range: ClosedRange<Int64>) throws {
    let time = try Self.time(ahead: ahead, at: now)
    #expect(time == .guessed((Self.told + range.lowerBound)...(Self.told + range.upperBound)))
  }

  @Test(arguments: [0, 1_577_836_799, 4_133_980_800, 253_402_300_799] as [Int64])
  func aServerHasNoTimeOutsideOf2020To2100(_ time: Int64) throws {
    #expect(IssuerReading(issuer: Timestamp(clamping: time), local: Self.local(0, 0)) == nil)
  }

  @Test func noClockOverflows() {
    let extremes = [Int64.min, -1, 0, 1, 1_577_836_800, .max].map { Timestamp(clamping: $0) }
    let boots = [Int64.min, -1, 0, .max].map { BootTime(bootID: "b", seconds: $0) }
    let readings = extremes.flatMap { wall in boots.map { ClockReading(wall: wall, boot: $0) } }
    for issuer in extremes + [4_133_980_799] {
      for then in readings {
        for now in readings {
          let time = IssuerReading(issuer: issuer, local: then)?.time(at: now)
          if let time { #expect(time.earliest <= time.latest && time.earliest >= issuer) }
        }
      }
    }
  }

  @Test @GLibActor func theLatestTimeRules() throws {
    let clock = IssuerClock { Self.local(0, 100) }
    #expect(clock.time() == .guessed(Self.told...Self.told))
    let stored = try #require(IssuerReading(issuer: Self.told + 500, local: Self.local(-50, 50)))
    #expect(clock.time(knowing: stored) == .known(Self.told + 550))
    clock.note(Self.told + 7)
    #expect(clock.time(knowing: stored) == .known(Self.told + 7))
    for none in [nil, .distantPast, .distantFuture] as [Timestamp?] { clock.note(none) }
    #expect(clock.time() == .known(Self.told + 7))
  }
}

extension IssuerTime {
  static func known(_ time: Timestamp) -> IssuerTime { IssuerTime(earliest: time, latest: time, isKnown: true) }

  static func guessed(_ range: ClosedRange<Timestamp>) -> IssuerTime {
    IssuerTime(earliest: range.lowerBound, latest: range.upperBound, isKnown: false)
  }
}
