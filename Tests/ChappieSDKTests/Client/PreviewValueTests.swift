// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation
import Testing

/// An app makes the values of its previews and mocks, and keeps them in JSON.
struct PreviewValueTests {
  private static func expectRoundTrip<Value: Codable & Equatable>(_ value: Value) throws {
    #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value)
  }

  private static let window = ChappieUsageWindow(
    usedPercent: 12.5, windowMinutes: 300, resetsAt: Date(timeIntervalSince1970: 1_893_456_000))
  private static let usage = ChappieUsageLimitSnapshot(
    plan: ChappiePlan(rawValue: "plus"), primary: window,
    credits: ChappieUsageCredits(hasCredits: true, unlimited: false, balance: "3"))

  @Test func accountsModelsAndLimits() throws {
    try Self.expectRoundTrip(
      ChappieAccountInfo(email: "ada@example.com", userID: "u", accountID: "a", plan: ChappiePlan(rawValue: "pro")))
    try Self.expectRoundTrip(
      ChappieModel(
        slug: "gpt-6-sol", displayName: "Sol", description: "Bright.", priority: 3, inputModalities: ["text", "image"],
        supportedReasoningLevels: ["low"], contextWindow: 272_000))
    // Times are Unix seconds in JSON, as everywhere else.
    let json = try ChappieJSONValue(json: String(decoding: JSONEncoder().encode(Self.window), as: UTF8.self))
    #expect(json["resetsAt"] == 1_893_456_000)
    try Self.expectRoundTrip(
      ChappieUsageLimit(
        plan: ChappiePlan(rawValue: "plus"), resetsAt: .init(timeIntervalSince1970: 5), primary: Self.window))
  }

  @Test func eachEvent() throws {
    let events: [ChappieStreamEvent] = [
      .textDelta("Hi"),
      .toolCallRequested(
        ChappieToolExecutionRequest(callID: "c", toolName: "clock", arguments: "{}", policy: .ask)),
      .approvalRequested(ChappieApprovalRequest(callID: "c", toolName: "clock", arguments: "{}")),
      .toolCallCompleted(
        ChappieToolExecutionResult(
          callID: "c", toolName: "clock", status: .completed, output: "12:30", duration: .milliseconds(5))),
      .webSearch(.reading("example.org")),
      .citation(ChappieCitation(url: ChappieAddress(address: "https://example.org/"), title: "A", range: 0..<2)),
      .usageLimits(Self.usage),
      .completed(
        ChappieResponse(
          outputText: "Hi", responseID: "r", model: "m",
          usage: ChappieTokenUsage(inputTokens: 4, cachedInputTokens: 3, outputTokens: 2, reasoningTokens: 1))),
    ]
    try Self.expectRoundTrip(events)
    try Self.expectRoundTrip(ChappieResponse(outputText: "Hi"))
  }

  @Test func signIns() throws {
    let address = try #require(URL(string: "https://auth.example.com/codex/device"))
    let date = Date(timeIntervalSince1970: 1_893_456_000)
    let code = ChappieDeviceCode(userCode: "ABCD-12345", verificationURI: address, expiresAt: date)
    #expect((code.verificationURI, code.expiresAt) == (address, date))
    let page = ChappieBrowserPage(authorizationURI: address, expiresAt: date)
    #expect((page.authorizationURI, page.expiresAt) == (address, date))
  }
}
