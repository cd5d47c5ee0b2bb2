// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Decides on the remedy for each failure of one request.
struct Retries {
  /// The maximum number of retries when the backend is unavailable.
  private static let unavailableLimit = 4
  /// The maximum number of retries after an HTTP answer that broke off before its first delta.
  private static let brokenLimit = 5

  enum Decision {
    case again(afterSeconds: Double)
    /// The request needs another access token.
    case withAnotherToken
    /// If `isLasting`, the next requests go over HTTP as well, for ten minutes.
    case overHTTP(isLasting: Bool)
    case withoutCompression
    /// The request needs another model, or another form. If there is none, it fails with this error.
    case withAnotherModel(ChappieClientError)
    /// The conversation needs to go without what the model may not take: searches of earlier turns, or files. If it has
    /// none, the request fails with this error.
    case withPlainInput(ChappieClientError)
    case fail(ChappieClientError)
  }

  enum Transport: String, LogValue {
    case webSocket = "a WebSocket"
    case http = "HTTP"
  }

  let transport: ChappieStreamingTransportPolicy
  let backoff: ChappieRateLimitBackoffPolicy
  private var wasRejected = false
  private var wasPlain = false
  private var wasRefused = false
  private var inputRefusals = 0
  private var rateLimited = 0
  private var unavailable = 0
  private var broken = 0
  private var dropped = 0
  private var stale = 0

  init(transport: ChappieStreamingTransportPolicy, backoff: ChappieRateLimitBackoffPolicy) {
    self.transport = transport
    self.backoff = backoff
  }

  /// Records that the token was renewed already, because the backend refused the one before.
  mutating func noteAnotherToken() {
    wasRejected = true
  }

  /// - Parameter hasDelivered: whether the caller has received a part of the answer. Then only a dropped WebSocket has
  ///   a remedy.
  mutating func decide(_ failure: ExchangeFailure, over used: Transport, hasDelivered: Bool) -> Decision {
    let decision = decision(failure, over: used, hasDelivered: hasDelivered)
    log(decision, failure.error)
    return decision
  }

  private func log(_ decision: Decision, _ error: ChappieClientError) {
    switch decision {
    case .again(let seconds):
      Log.info("A request is sent again in \(Duration.seconds(seconds)): \(error).")
    case .withAnotherToken: Log.info("A request is sent again with another access token: \(error).")
    case .overHTTP(isLasting: true): Log.info("Requests go over HTTP for ten minutes, without a WebSocket: \(error).")
    case .overHTTP(isLasting: false): Log.info("This answer comes over HTTP, without a WebSocket: \(error).")
    case .withoutCompression: Log.info("A request is sent again without compression: \(error).")
    case .withAnotherModel: Log.info("The backend does not take the model: \(error).")
    case .withPlainInput: Log.info("The backend does not take the conversation: \(error).")
    case .fail: Log.info("A request has failed: \(error).")
    }
  }

  private mutating func decision(_ failure: ExchangeFailure, over used: Transport, hasDelivered: Bool) -> Decision {
    switch failure {
    case .rejected where !wasRejected:
      wasRejected = true
      return .withAnotherToken
    case .encodingRefused where used == .http && !wasPlain:
      wasPlain = true
      return .withoutCompression
    case .modelRefused(let error) where !wasRefused:
      wasRefused = true
      return .withAnotherModel(error)
    case .inputRefused(let error) where inputRefusals < 2:
      inputRefusals += 1
      return .withPlainInput(error)
    case .staleSocket where stale < 2:
      stale += 1
      return .again(afterSeconds: 0)
    case .rateLimited(let error, let retryAfter) where !hasDelivered:
      guard !isHopeless(error), let delay = backoff.delay(beforeRetry: rateLimited, retryAfter: retryAfter)
      else { return .fail(error) }
      rateLimited += 1
      return .again(afterSeconds: delay)
    case .unavailable(let error, let retryAfter) where !hasDelivered,
      .planUnavailable(let error, let retryAfter) where !hasDelivered:
      guard unavailable < Self.unavailableLimit else { return .fail(error) }
      unavailable += 1
      return .again(afterSeconds: retryAfter.map { min($0, backoff.maximumDelay) } ?? Self.delay(unavailable))
    case .noWebSocket(let error, let isLasting):
      return transport.fallsBackToHTTPSSE ? .overHTTP(isLasting: isLasting) : reconnect(error)
    case .broken(let error) where used == .webSocket:
      return reconnect(error)
    case .broken(let error) where !hasDelivered:
      guard broken < Self.brokenLimit else { return .fail(error) }
      broken += 1
      return .again(afterSeconds: Self.delay(broken))
    default:
      return .fail(failure.error)
    }
  }

  /// Whether a quota resets only after the last retry.
  private func isHopeless(_ error: ChappieClientError) -> Bool {
    guard case .usageLimitReached(let limit) = error, let reset = limit.resetsAtSeconds.flatMap({ Timestamp($0) })
    else { return false }
    return Double(reset.unixSeconds) > Double(Timestamp.now.unixSeconds) + backoff.longestWait
  }

  private mutating func reconnect(_ error: ChappieClientError) -> Decision {
    guard dropped < transport.maxWebSocketReconnectionAttempts else {
      return transport.fallsBackToHTTPSSE ? .overHTTP(isLasting: true) : .fail(error)
    }
    dropped += 1
    return .again(afterSeconds: Self.delay(dropped))
  }

  /// The delay in seconds before a retry, counted from 1: 0.2, 0.4, 0.8 … with a jitter of a tenth.
  private static func delay(_ attempt: Int) -> Double {
    0.2 * Double(1 << min(attempt - 1, 8)) * Double.random(in: 0.9...1.1)
  }
}
