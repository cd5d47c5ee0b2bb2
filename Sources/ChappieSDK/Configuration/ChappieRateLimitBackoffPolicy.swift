// SPDX-License-Identifier: Apache-2.0

/// The number and the delays of retries after HTTP 429.
///
/// A used-up quota counts as such an answer, and ends in ``ChappieClientError/usageLimitReached(_:)`` after the retries.
/// If it resets only after the last of them, none can help, and the error comes at once.
public struct ChappieRateLimitBackoffPolicy: Sendable, Hashable {
  /// Retries after the first 429; 0 turns them off.
  public let maxRetries: Int
  /// Seconds before the first retry. It doubles with each retry.
  public let initialDelay: Double
  /// The longest wait in seconds, even if the server asks for more.
  public let maximumDelay: Double
  /// Whether a `Retry-After` header replaces the computed delay.
  public let respectsRetryAfterHeader: Bool

  /// Negative and non-finite numbers count as 0. No wait is longer than a year.
  public init(
    maxRetries: Int = 2, initialDelay: Double = 1, maximumDelay: Double = 30, respectsRetryAfterHeader: Bool = true
  ) {
    self.maxRetries = max(0, maxRetries)
    self.initialDelay = Self.clamped(initialDelay)
    self.maximumDelay = Self.clamped(maximumDelay)
    self.respectsRetryAfterHeader = respectsRetryAfterHeader
  }

  /// 2 retries, after 1 and 2 seconds, or when the server says so, but after 30 seconds at the latest.
  public static let `default` = ChappieRateLimitBackoffPolicy()
  /// No retry: the first 429 is the error.
  public static let disabled = ChappieRateLimitBackoffPolicy(maxRetries: 0)

  /// The wait in seconds before retry number `retry`, counted from 0. Nil when no retry is left.
  ///
  /// - Parameter retryAfter: the wait that the server asked for, in seconds.
  package func delay(beforeRetry retry: Int, retryAfter: Double?) -> Double? {
    guard retry < maxRetries else { return nil }
    if respectsRetryAfterHeader, let retryAfter {
      return min(Self.clamped(retryAfter), maximumDelay)
    }
    // 2^62 seconds exceed every maximum, so the exponent stops there and nothing overflows.
    let factor = Double(1 << min(retry, 62))
    return min(initialDelay * factor, maximumDelay)
  }

  /// The longest that all retries together may wait, in seconds; at most a year.
  var longestWait: Double { Self.clamped(maximumDelay * Double(maxRetries)) }

  private static func clamped(_ seconds: Double) -> Double {
    seconds.isNaN ? 0 : min(max(0, seconds), 365 * 24 * 60 * 60)
  }
}
