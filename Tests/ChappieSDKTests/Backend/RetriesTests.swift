// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The reaction to each failure, and the number of retries.
struct RetriesTests {
  private static let error = ChappieClientError.network("gone")

  private static func retries(_ policy: ChappieStreamingTransportPolicy = .default) -> Retries {
    Retries(transport: policy, backoff: .default)
  }

  /// The waits before each retry in seconds, and the first other decision.
  private static func waits(
    _ failure: ExchangeFailure, of retries: Retries = retries(), over transport: Retries.Transport = .http,
    hasDelivered: Bool = false
  ) -> (seconds: [Double], last: Retries.Decision) {
    var retries = retries
    var seconds: [Double] = []
    while seconds.count < 100 {
      let decision = retries.decide(failure, over: transport, hasDelivered: hasDelivered)
      guard case .again(let wait) = decision else { return (seconds, decision) }
      seconds.append(wait)
    }
    return (seconds, .fail(error))
  }

  private static func fails(_ decision: Retries.Decision) -> Bool {
    if case .fail = decision { true } else { false }
  }

  /// Whether there are `count` waits, from about 0.2 seconds, each about twice as long as the one before.
  private static func backOff(_ seconds: [Double], to count: Int) -> Bool {
    seconds.count == count
      && seconds.enumerated().allSatisfy { index, wait in
        (0.9...1.1).contains(wait / (0.2 * Double(1 << index)))
      }
  }

  @Test func retriesAnUnavailableBackendFourTimes() {
    let (seconds, last) = Self.waits(.unavailable(Self.error, retryAfter: nil))
    #expect(Self.backOff(seconds, to: 4))
    #expect(Self.fails(last))
    // It may say when.
    #expect(Self.waits(.unavailable(Self.error, retryAfter: 3)).seconds == [3, 3, 3, 3])
    #expect(Self.waits(.unavailable(Self.error, retryAfter: 3000)).seconds == [30, 30, 30, 30])
  }

  @Test func rateLimitFollowsThePolicy() {
    #expect(Self.waits(.rateLimited(Self.error, retryAfter: nil)).seconds == [1, 2])
    #expect(Self.waits(.rateLimited(Self.error, retryAfter: 7)).seconds == [7, 7])
    let never = Retries(transport: .default, backoff: .disabled)
    #expect(Self.waits(.rateLimited(Self.error, retryAfter: 7), of: never).seconds == [])
  }

  /// A quota that resets within the waits of the policy, or at an unknown time, is worth the policy's retries.
  @Test func usageLimitFollowsThePolicyUnlessItLastsLonger() {
    func waits(_ seconds: Int64?) -> [Double] {
      let limit = ChappieUsageLimit(resetsAt: seconds.map { ChappieTime(unixSeconds: $0) })
      return Self.waits(.rateLimited(.usageLimitReached(limit), retryAfter: nil)).seconds
    }
    #expect(waits(nil) == [1, 2])
    #expect(waits(UnixTime.now + 20) == [1, 2])
    #expect(waits(UnixTime.now + 300) == [])
    #expect(waits(.max) == [1, 2])
  }

  @Test(arguments: [Retries.Transport.webSocket, .http])
  func replacesARejectedTokenAndARefusedModelOnce(_ transport: Retries.Transport) throws {
    var retries = Self.retries()
    guard case .withAnotherToken = retries.decide(.rejected(Self.error), over: transport, hasDelivered: false),
      case .withAnotherModel = retries.decide(.modelRefused(Self.error), over: transport, hasDelivered: false)
    else { throw UnmetCondition("another token and model") }
    #expect(Self.fails(retries.decide(.rejected(Self.error), over: transport, hasDelivered: false)))
    #expect(Self.fails(retries.decide(.modelRefused(Self.error), over: transport, hasDelivered: false)))
    var renewed = Self.retries()
    renewed.noteAnotherToken()
    #expect(Self.fails(renewed.decide(.rejected(Self.error), over: transport, hasDelivered: false)))
  }

  @Test func retriesABrokenHTTPAnswerOnlyBeforeOutput() {
    let (seconds, last) = Self.waits(.broken(Self.error))
    #expect(Self.backOff(seconds, to: 5))
    #expect(Self.fails(last))
    #expect(Self.waits(.broken(Self.error), hasDelivered: true).seconds == [])
  }

  @Test(arguments: [
    ExchangeFailure.unavailable(error, retryAfter: 1), .rateLimited(error, retryAfter: 1), .final(error),
  ])
  func doesNotRetryAfterOutput(_ failure: ExchangeFailure) {
    for transport in [Retries.Transport.http, .webSocket] {
      let (seconds, last) = Self.waits(failure, over: transport, hasDelivered: true)
      #expect(seconds == [])
      #expect(Self.fails(last))
    }
  }

  @Test(arguments: [true, false])
  func fallsBackToHTTPAfterDroppedSocketsOrWithoutWebSocket(_ flag: Bool) throws {
    let (seconds, last) = Self.waits(.broken(Self.error), over: .webSocket, hasDelivered: flag)
    #expect(Self.backOff(seconds, to: 5))
    let missing = Self.waits(.noWebSocket(Self.error, isLasting: flag), over: .webSocket)
    guard case .overHTTP(isLasting: true) = last, case .overHTTP(isLasting: flag) = missing.last else {
      throw UnmetCondition("a fallback")
    }
    #expect(missing.seconds == [])
  }

  @Test func droppedSocketFailsWithoutFallback() {
    let policy = ChappieStreamingTransportPolicy(maxWebSocketReconnectionAttempts: 2, fallsBackToHTTPSSE: false)
    for failure in [ExchangeFailure.broken(Self.error), .noWebSocket(Self.error, isLasting: true)] {
      let (seconds, last) = Self.waits(failure, of: Self.retries(policy), over: .webSocket)
      #expect(Self.backOff(seconds, to: 2))
      #expect(Self.fails(last))
    }
  }

  @Test func replacesAStaleSocketAtOnce() {
    let (seconds, last) = Self.waits(.staleSocket(Self.error), over: .webSocket)
    #expect(seconds == [0, 0])
    #expect(Self.fails(last))
  }
}
