// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

struct BackendFailureTests {
  private static func failure(_ status: Int, _ body: String, retryAfter: String? = nil) -> ExchangeFailure {
    ExchangeFailure(status: status, retryAfter: retryAfter, body: Array(body.utf8), host: "chat.example")
  }

  // MARK: Usage limits (protocol.md, 3.6)

  @Test func reachedUsageLimitLastsUntilItsReset() {
    let failure = Self.failure(
      429,
      """
      {"error":{"type":"usage_limit_reached","message":"…","plan_type":"plus","resets_at":1893456000,\
      "resets_in_seconds":1234}}
      """)
    let limit = ChappieUsageLimit(plan: ChappiePlan(rawValue: "plus"), resetsAtSeconds: 1_893_456_000)
    #expect(failure.error == .usageLimitReached(limit))
    guard case .rateLimited = failure else {
      Issue.record("It does not follow the policy: \(failure)")
      return
    }
  }

  @Test func usageLimitMayLackDetails() {
    let failure = Self.failure(429, "{\"error\":{\"type\":\"usage_limit_reached\"}}")
    #expect(failure.error == .usageLimitReached(ChappieUsageLimit(plan: nil, resetsAt: nil)))
  }

  @Test func onlyStatus429MeansUsageLimit() {
    #expect(
      Self.failure(400, "{\"error\":{\"type\":\"usage_limit_reached\",\"message\":\"m\"}}").error
        == .httpError(400, "m"))
  }

  /// A number from a server must not crash this process.
  @Test(arguments: ["1e300", "-1e300", "9223372036854775808", "null", "0.5"])
  func acceptsAnyNumberAsResetTime(_ number: String) {
    let failure = Self.failure(429, "{\"error\":{\"type\":\"usage_limit_reached\",\"resets_at\":\(number)}}")
    guard case .rateLimited(.usageLimitReached, _) = failure else {
      Issue.record("It is no usage limit: \(failure)")
      return
    }
  }

  @Test func rateLimitIsNotFinal() {
    let failure = Self.failure(
      429, "{\"error\":{\"type\":\"rate_limit_exceeded\",\"message\":\"slow down\"}}", retryAfter: "7")
    guard case .rateLimited(.httpError(429, "slow down"), retryAfter: 7) = failure else {
      Issue.record("Another failure: \(failure)")
      return
    }
  }

  // MARK: Refusals (protocol.md, 3.7)

  @Test(arguments: [
    "Stream must be set to true", "Store must be set to false", "Unsupported parameter: temperature",
    "Unsupported parameter: max_output_tokens", "Instructions are required", "System messages are not allowed",
    "The 'gpt-0' model is not supported when using Codex with a ChatGPT account.",
  ])
  func errorContainsTheBackendsDetail(_ detail: String) {
    #expect(Self.failure(400, "{\"detail\":\"\(detail)\"}").error == .httpError(400, detail))
  }

  @Test(arguments: [
    ("{\"error\":{\"code\":\"server_is_overloaded\",\"message\":\"at capacity\"}}", "at capacity"),
    ("{\"error\":{\"message\":\"error\"},\"detail\":\"detail\"}", "error"), ("plain text", "plain text"), ("", ""),
    ("{\"detail\":[{\"loc\":[\"body\"]}]}", "{\"detail\":[{\"loc\":[\"body\"]}]}"),
    ("{\"error\":\"gone\"}", "{\"error\":\"gone\"}"),
  ])
  func findsTheMessageInEachBodyForm(_ body: String, _ text: String) {
    #expect(Self.failure(503, body).error == .httpError(503, text))
  }

  @Test(arguments: [
    "<html>\n<body>blocked</body>\n</html>", " \n<!DOCTYPE html><title>Just a moment...</title>", "\u{FEFF}<?xml?>",
    "oops </p>",
  ])
  func errorMentionsAWebPageWithoutItsMarkup(_ body: String) {
    guard case .httpError(403, let text) = Self.failure(403, body).error else {
      Issue.record("another error")
      return
    }
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

  @Test func replacesInvalidUTF8InABody() {
    let failure = ExchangeFailure(status: 500, retryAfter: nil, body: [0xFF, 0xFE, 97], host: "h")
    #expect(failure.error == .httpError(500, "\u{FFFD}\u{FFFD}a"))
  }

  @Test func truncatesALongBody() {
    guard case .httpError(500, let text) = Self.failure(500, String(repeating: "no ", count: 100_000)).error else {
      Issue.record("another error")
      return
    }
    #expect(text.count == 300)
  }

  // MARK: Retry-After

  @Test(arguments: [
    ("0", 0), ("7", 7), ("1.5", 1.5), ("-3", 0), ("86400", 86_400), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
  ])
  func readsRetryAfter(_ header: String, _ seconds: Double) {
    #expect(ExchangeFailure.seconds(header) == seconds)
  }

  @Test func readsRetryAfterAsAFutureDate() throws {
    let seconds = try #require(ExchangeFailure.seconds("Fri, 31 Dec 9999 23:59:59 GMT"))
    #expect(seconds + Double(UnixTime.now) > 253_402_300_000)
  }

  @Test(arguments: ["", "soon", "inf", "-inf", "nan", "1e999", "7 seconds"])
  func ignoresAnUnreadableRetryAfter(_ header: String) {
    #expect(ExchangeFailure.seconds(header) == nil)
    guard case .rateLimited(_, retryAfter: nil) = Self.failure(429, "", retryAfter: header) else {
      Issue.record("It has a delay")
      return
    }
  }

  @Test func missingHeaderGivesNoRetryAfter() {
    guard case .rateLimited(_, retryAfter: nil) = Self.failure(429, "") else {
      Issue.record("It has a delay")
      return
    }
  }
}

struct ModelCatalogueTests {
  private struct Unforeseen: Error {
    let words = "what-a-server-wrote"
  }

  @Test func theLogNamesTheReasonOfAKnownFailure() {
    let outage = ChappieClientError.httpError(503, "what-a-server-wrote")
    #expect(ExchangeFailure.reason(of: outage) == "the backend answered with status 503")
    #expect(
      ExchangeFailure.reason(of: ExchangeFailure.unavailable(outage, retryAfter: nil))
        == "the backend answered with status 503")
    #expect(ExchangeFailure.reason(of: CredentialError.locked("The screen is locked.")) == "The screen is locked")
    #expect(ExchangeFailure.reason(of: GLibError.timedOut) == "timed out")
  }

  @Test func onlyACancelledRequestIsCalledCancelled() {
    #expect(ExchangeFailure.reason(of: CancellationError()) == "the request was cancelled")
    #expect(ExchangeFailure.reason(of: Unforeseen()) == "an unexpected error of type Unforeseen")
  }
}
