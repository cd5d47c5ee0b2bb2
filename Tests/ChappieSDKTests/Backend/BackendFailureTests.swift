// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

struct BackendFailureTests {
  private static func failure(_ status: Int, _ body: String, retryAfter: String? = nil) -> ExchangeFailure {
    ExchangeFailure(status: status, retryAfter: retryAfter, body: Array(body.utf8), host: "chat.example")
  }

  // MARK: Usage limits (protocol.md, 3.6)

  @Test func aUsageLimitHasStatus429AndPerhapsDetails() throws {
    let error = "{\"error\":{\"type\":\"usage_limit_reached\",\"message\":\"m\"}}"
    guard case .rateLimited(.usageLimitReached(let limit), _) = Self.failure(429, error) else {
      throw UnmetCondition("a usage limit")
    }
    #expect(limit == ChappieUsageLimit(plan: nil, resetsAt: nil))
    #expect(Self.failure(400, error).error == .httpError(400, "m"))
  }

  // MARK: Refusals (protocol.md, 3.7)

  @Test(arguments: [
    (#"{"error":{"code":"server_is_overloaded","message":"at capacity"}}"#, "at capacity"),
    (#"{"error":{"message":"error"},"detail":"detail"}"#, "error"),
    (#"{"detail":"Stream must be set to true"}"#, "Stream must be set to true"), ("plain text", "plain text"), ("", ""),
    (#"{"detail":[{"loc":["body"]}]}"#, #"{"detail":[{"loc":["body"]}]}"#),
    (#"{"error":"gone"}"#, #"{"error":"gone"}"#),
  ])
  func findsTheMessageInEachBodyForm(_ body: String, _ text: String) {
    for status in [400, 503] { #expect(Self.failure(status, body).error == .httpError(status, text)) }
  }

  @Test(arguments: [
    "<html>\n<body>blocked</body>\n</html>", " \n<!DOCTYPE html><title>Just a moment...</title>", "\u{FEFF}<?xml?>",
    "oops </p>",
  ])
  func errorMentionsAWebPageWithoutItsMarkup(_ body: String) throws {
    guard case .httpError(403, let text) = Self.failure(403, body).error else { throw UnmetCondition("the refusal") }
    #expect(text.hasPrefix("chat.example sent a web page"))
    #expect(!text.contains("<"))
  }

  @Test func errorsContainNoToken() {
    let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl"
    for body in [
      "{\"detail\":\"bad \(token)\"}", "{\"error\":{\"message\":\"\(token)\"}}", "Bearer \(token)",
      "{\"token\":\"\(token)\"",
    ] {
      #expect(!Self.failure(400, body).error.description.contains("eyJ"))
    }
  }

  @Test func aBodyThatIsDamagedOrLongIsCutToText() throws {
    let damaged = ExchangeFailure(status: 500, retryAfter: nil, body: [0xFF, 0xFE, 97], host: "h")
    #expect(damaged.error == .httpError(500, "\u{FFFD}\u{FFFD}a"))
    guard case .httpError(500, let text) = Self.failure(500, String(repeating: "no ", count: 100_000)).error else {
      throw UnmetCondition("the error")
    }
    #expect(text.count == 300)
  }

  // MARK: Retry-After

  @Test(
    arguments: [
      ("0", 0), ("7", 7), ("1.5", 1.5), ("-3", 0), ("86400", 86_400), ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("", nil),
      ("soon", nil), ("inf", nil), ("-inf", nil), ("nan", nil), ("1e999", nil), ("7 seconds", nil),
    ] as [(String, Double?)])
  func readsRetryAfter(_ header: String, _ seconds: Double?) {
    #expect(ExchangeFailure.seconds(header) == seconds)
  }

  @Test func readsRetryAfterAsAFutureDate() throws {
    let seconds = try #require(ExchangeFailure.seconds("Fri, 31 Dec 9999 23:59:59 GMT"))
    #expect(seconds + Double(UnixTime.now) > 253_402_300_000)
  }

  @Test(arguments: [("7", 7), ("soon", nil), (nil, nil)] as [(String?, Double?)])
  func rateLimitIsNotFinal(_ header: String?, _ seconds: Double?) throws {
    let body = "{\"error\":{\"type\":\"rate_limit_exceeded\",\"message\":\"slow down\"}}"
    guard case .rateLimited(let error, let delay) = Self.failure(429, body, retryAfter: header) else {
      throw UnmetCondition("a rate limit")
    }
    #expect(error == .httpError(429, "slow down") && delay == seconds)
  }

  @Test(
    arguments: [
      ("Please try again in 2.5s. Visit the page to learn more.", 2.5),
      ("Limit 10.\nPlease try again in 20 seconds.", 20), ("Please try again in 500ms.", 0.5),
      ("try again in 7 ms", 0.007), ("try to try again in 1s", 1), ("Slow down (try again in 2s).", 2),
      (nil, nil), ("", nil), ("Please try again.", nil), ("try again in", nil), ("try again in a while", nil),
      ("try again in 2 minutes", nil), ("try again in s", nil), ("try again in 1.2.3s", nil),
      ("Please try again soon in 3s", nil),
    ] as [(String?, Double?)])
  func readsTheDelayFromTheMessage(_ message: String?, _ seconds: Double?) {
    #expect(WireError(code: nil, message: message).delay == seconds)
  }

  // MARK: The log

  @Test func theLogNamesTheReasonOfAFailure() {
    struct Unforeseen: Error { let words = "what-a-server-wrote" }
    let outage = ChappieClientError.httpError(503, "what-a-server-wrote")
    #expect(ExchangeFailure.reason(of: outage) == "the backend answered with status 503")
    #expect(
      ExchangeFailure.reason(of: ExchangeFailure.unavailable(outage, retryAfter: nil))
        == "the backend answered with status 503")
    #expect(ExchangeFailure.reason(of: CredentialError.locked("The screen is locked.")) == "The screen is locked")
    #expect(ExchangeFailure.reason(of: GLibError.timedOut) == "timed out")
    #expect(ExchangeFailure.reason(of: CancellationError()) == "the request was cancelled")
    #expect(ExchangeFailure.reason(of: Unforeseen()) == "an unexpected error of type Unforeseen")
  }
}

extension WireError {
  init(code: String?, message: String?, plan: String? = nil, resetsAt: Int64? = nil) {
    var members: [String: ChappieJSONValue] = [:]
    members["code"] = code.map { .string($0) }
    members["message"] = message.map { .string($0) }
    members["plan_type"] = plan.map { .string($0) }
    members["resets_at"] = resetsAt.map { .integer($0) }
    self.init(.object(members))
  }
}
