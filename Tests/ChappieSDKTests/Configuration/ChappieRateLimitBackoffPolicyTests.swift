// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct ChappieRateLimitBackoffPolicyTests {
  private typealias Policy = ChappieRateLimitBackoffPolicy

  private static func delays(_ policy: Policy, _ count: Int) -> [Double?] {
    (0..<count).map { policy.delay(beforeRetry: $0, retryAfter: nil) }
  }

  @Test func defaultsAreAsDocumented() {
    #expect(Policy.default == Policy(maxRetries: 2, initialDelay: 1, maximumDelay: 30))
    #expect(Policy.default.respectsRetryAfterHeader)
    #expect(Self.delays(.default, 4) == [1, 2, nil, nil])
    #expect(Self.delays(.disabled, 2) == [nil, nil])
  }

  @Test func negativeNumbersAndNaNCountAsZero() {
    let negative = Policy(maxRetries: -1, initialDelay: -2, maximumDelay: -3)
    #expect(negative == Policy(maxRetries: 0, initialDelay: 0, maximumDelay: 0))
    let none = Policy(maxRetries: 1, initialDelay: .nan, maximumDelay: -.infinity)
    #expect(none.initialDelay == 0 && none.maximumDelay == 0)
    #expect(none.delay(beforeRetry: 0, retryAfter: nil) == 0)
  }

  @Test func delayDoublesUpToTheMaximum() {
    #expect(
      Self.delays(Policy(maxRetries: 8, initialDelay: 0.5, maximumDelay: 10), 9) == [0.5, 1, 2, 4, 8, 10, 10, 10, nil])
    #expect(Self.delays(Policy(maxRetries: 2, initialDelay: 5, maximumDelay: 3), 2) == [3, 3])
  }

  @Test func retryAfterReplacesTheDelay() {
    let policy = Policy(maxRetries: 2, initialDelay: 1, maximumDelay: 30)
    #expect(policy.delay(beforeRetry: 0, retryAfter: 7) == 7)
    #expect(policy.delay(beforeRetry: 1, retryAfter: 0) == 0)
    #expect(policy.delay(beforeRetry: 0, retryAfter: 31) == 30)
    #expect(policy.delay(beforeRetry: 0, retryAfter: -1) == 0)
    #expect(policy.delay(beforeRetry: 0, retryAfter: .nan) == 0)
    #expect(policy.delay(beforeRetry: 2, retryAfter: 7) == nil)
    #expect(Policy(respectsRetryAfterHeader: false).delay(beforeRetry: 0, retryAfter: 7) == 1)
  }

  /// Every delay must be valid for a clock, because a caller's numbers must not end this process.
  @Test(arguments: [Double.infinity, .greatestFiniteMagnitude, 1e300, 1e20], [nil, 0, 7, 1e300, .infinity])
  func hugeNumbersGiveValidDelays(_ seconds: Double, _ retryAfter: Double?) throws {
    let policy = Policy(maxRetries: .max, initialDelay: seconds, maximumDelay: seconds)
    for retry in [0, 1, 62, 63, 64, 1000, .max - 1] {
      let delay = try #require(policy.delay(beforeRetry: retry, retryAfter: retryAfter))
      #expect(delay >= 0)
      #expect(Duration.seconds(delay) >= .zero)
    }
    #expect(policy.delay(beforeRetry: .max, retryAfter: nil) == nil)
  }
}
