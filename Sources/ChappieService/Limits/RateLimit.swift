import GLibBridge

/// A rate limit for each application: a burst, then a number per second.
@GLibActor
final class RateLimit {
  struct Rate: Sendable {
    let atOnce: Int
    let perSecond: Double
  }

  private struct Bucket {
    var left: Double
    var filled: ContinuousClock.Instant

    mutating func fill(_ rate: Rate, _ now: ContinuousClock.Instant) {
      left = min(Double(rate.atOnce), left + (now - filled) / .seconds(1) * rate.perSecond)
      filled = now
    }
  }

  private let rate: @Sendable (Application) -> Rate
  private let now: @Sendable () -> ContinuousClock.Instant
  private var buckets: [Application: Bucket] = [:]

  nonisolated init(
    _ rate: @escaping @Sendable (Application) -> Rate,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.rate = rate
    self.now = now
  }

  /// Counts one more for `application`; false if it has to wait.
  func allows(_ application: Application) -> Bool {
    let now = now()
    // An application that has its full burst again need not be remembered.
    if buckets.count >= 1024 {
      for key in Array(buckets.keys) {
        buckets[key]?.fill(rate(key), now)
        if let left = buckets[key]?.left, left >= Double(rate(key).atOnce) { buckets[key] = nil }
      }
    }
    let rate = rate(application)
    var bucket = buckets[application] ?? Bucket(left: Double(rate.atOnce), filled: now)
    bucket.fill(rate, now)
    defer { buckets[application] = bucket }
    guard bucket.left >= 1 else { return false }
    bucket.left -= 1
    return true
  }
}
