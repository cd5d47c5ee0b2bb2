// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A burst, then a number per second.
struct Rate: Sendable {
  let atOnce: Int
  let perSecond: Double
}

/// A rate limit for each holder, such as an application.
@GLibActor
final class RateLimit<Holder: Hashable & Sendable> {
  private struct Bucket {
    var left: Double
    var filled: ContinuousClock.Instant

    mutating func fill(_ rate: Rate, _ now: ContinuousClock.Instant) {
      left = min(Double(rate.atOnce), left + (now - filled) / .seconds(1) * rate.perSecond)
      filled = now
    }
  }

  private let rate: @Sendable (Holder) -> Rate
  private let now: @Sendable () -> ContinuousClock.Instant
  private var buckets: [Holder: Bucket] = [:]

  nonisolated init(
    _ rate: @escaping @Sendable (Holder) -> Rate,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.rate = rate
    self.now = now
  }

  /// Counts one more for `holder`; false if it has to wait.
  func allows(_ holder: Holder) -> Bool {
    let now = now()
    // A holder that has its full burst again need not be remembered.
    if buckets.count >= 1024 {
      for key in Array(buckets.keys) {
        buckets[key]?.fill(rate(key), now)
        if let left = buckets[key]?.left, left >= Double(rate(key).atOnce) { buckets[key] = nil }
      }
    }
    let rate = rate(holder)
    var bucket = buckets[holder] ?? Bucket(left: Double(rate.atOnce), filled: now)
    bucket.fill(rate, now)
    defer { buckets[holder] = bucket }
    guard bucket.left >= 1 else { return false }
    bucket.left -= 1
    return true
  }
}
