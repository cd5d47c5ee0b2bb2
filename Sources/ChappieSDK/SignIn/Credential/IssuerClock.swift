// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// What this machine's two clocks show.
package struct ClockReading: Sendable, Equatable {
  /// The time of day. It may be wrong, and may be set.
  package let wall: Timestamp
  /// The time since the machine's start. Nobody sets it.
  package let boot: BootTime

  package static var now: ClockReading { ClockReading(wall: .now, boot: .now) }
}

/// A time that an issuer told, and what this machine's clocks showed then.
package struct IssuerReading: Sendable, Equatable {
  /// The two clocks agree up to this difference, in seconds: both drop fractions.
  private static let agreement: Int64 = 2
  /// The seconds after which a clock that was not compared again may be off by more than the margin of a refresh.
  private static let lifetime: Int64 = 43_200

  let issuer: Timestamp
  let local: ClockReading

  /// Returns nil for a time that no server's clock shows.
  init?(issuer: Timestamp, local: ClockReading) {
    guard ServerTime.credible.contains(issuer.unixSeconds) else { return nil }
    self.issuer = issuer
    self.local = local
  }

  /// The issuer's time when this machine's clocks show `now`.
  func time(at now: ClockReading) -> IssuerTime {
    let byWall = max(issuer, issuer + now.wall.seconds(since: local.wall))
    guard let passed = now.boot.seconds(since: local.boot) else {
      return IssuerTime(earliest: byWall, latest: byWall, isKnown: false)
    }
    let byBoot = issuer + passed
    let (earliest, latest) = (min(byWall, byBoot), max(byWall, byBoot))
    let isKnown = passed <= Self.lifetime && latest.seconds(since: earliest) <= Self.agreement
    return IssuerTime(earliest: earliest, latest: isKnown ? earliest : latest, isKnown: isKnown)
  }
}

/// The present time of an issuer, as far as it is known here.
struct IssuerTime: Sendable, Equatable {
  let earliest: Timestamp
  let latest: Timestamp
  /// Whether the issuer told its time, and this machine's clocks agree about what has passed since. The two times are
  /// then the same, and not later than the true one. False if the issuer has told nothing since the machine's start, or
  /// a clock was set meanwhile.
  let isKnown: Bool
}

/// The clock of an issuer: the times of tokens are by this one, and not by this machine's.
@GLibActor
final class IssuerClock {
  private let local: @Sendable () -> ClockReading
  /// The last time that it told.
  private(set) var reading: IssuerReading?

  nonisolated init(local: @escaping @Sendable () -> ClockReading = { .now }) {
    self.local = local
  }

  /// Notes the time of an answer of the issuer itself.
  func note(_ time: Timestamp?) {
    if let time, let reading = IssuerReading(issuer: time, local: local()) { self.reading = reading }
  }

  /// The present time.
  ///
  /// - Parameter stored: what the issuer told an earlier process.
  func time(knowing stored: IssuerReading? = nil) -> IssuerTime {
    let now = local()
    return (reading ?? stored)?.time(at: now)
      ?? IssuerTime(earliest: now.wall, latest: now.wall, isKnown: false)
  }
}
