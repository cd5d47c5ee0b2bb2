// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation

/// An app makes the values of its previews and mocks, and keeps them in JSON. Times are values of `Date`, and addresses
/// values of `URL`.
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

  /// As version 0.2 wrote it.
  @Test func contextHasDatesAndUnixSecondsInJSON() throws {
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    let context = ChappieClientContext(
      sessionID: "s", threadID: "t", model: "m", messages: [], createdAt: date, updatedAt: date + 60)
    #expect((context.createdAt, context.updatedAt) == (date, date + 60))
    let json = try ChappieJSONValue(json: String(decoding: JSONEncoder().encode(context), as: UTF8.self))
    #expect(json["createdAt"] == 1_800_000_000)
    #expect(json["updatedAt"] == 1_800_000_060)
  }

  @GLibActor @Test func signInHasDatesAndAddresses() async throws {
    let backend = try StandInBackend()
    let session = Chappie.authSession(configuration: try .testing(.signedOut, backend: backend))
    let code = try await session.startDeviceCodeSignIn()
    #expect(code.expiresAt > .now + 600)
    #expect(code.verificationURI == URL(string: backend.devicePage))
    let page = try await session.startBrowserSignIn(opensBrowser: false)
    #expect(page.expiresAt > .now + 300)
    #expect(page.authorizationURI.absoluteString.hasPrefix(backend.issuer))
    // An app can make both for its previews.
    #expect(
      code
        == ChappieDeviceCode(
          userCode: code.userCode, verificationURI: code.verificationURI, expiresAt: code.expiresAt))
    #expect(page == ChappieBrowserPage(authorizationURI: page.authorizationURI, expiresAt: page.expiresAt))
    let updates = session.updates
    try session.completeBrowserSignIn(try #require(backend.approve(inBrowser: page.authorizationURI)))
    for await update in updates where update.state == .signedIn { break }
    #expect(session.manageUsageURL?.host() == "chatgpt.com")
    await backend.stop()
  }

  /// A time that is none, or has no place in a message, becomes the start of 1970.
  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1e300, 253_402_300_800])
  func impossibleDatesAreTheStartOf1970(_ seconds: Double) {
    let window = ChappieUsageWindow(usedPercent: 1, resetsAt: Date(timeIntervalSince1970: seconds))
    #expect(window.resetsAt == Date(timeIntervalSince1970: 0))
  }
}
