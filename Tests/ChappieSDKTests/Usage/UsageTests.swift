// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The three forms of the backend's usage reports (protocol.md, 3.6 and 5.2).
struct UsageLimitReadingTests {
  private static func json(_ text: String) throws -> ChappieJSONValue { try ChappieJSONValue(json: text) }

  private static func headers(_ fields: [String: String]) -> ChappieUsageLimitSnapshot {
    var headers = HTTPHeaders()
    for (name, value) in fields { headers.append("X-Codex-" + name, value) }
    return ChappieUsageLimitSnapshot(headers: headers)
  }

  private static let plus = ChappiePlan(rawValue: "plus")
  private static let reset = ChappieTime(unixSeconds: 1_893_456_000)
  private static let primary = ChappieUsageWindow(usedPercent: 42.5, windowMinutes: 300, resetsAt: reset)
  private static let credits = ChappieUsageCredits(hasCredits: true, unlimited: false, balance: "12.3")

  // MARK: Header fields

  @Test func readsHeaderFields() {
    let snapshot = Self.headers([
      "Primary-Used-Percent": "42.5", "Primary-Window-Minutes": "300", "Primary-Reset-At": "1893456000",
      "Secondary-Used-Percent": "7", "Secondary-Window-Minutes": "10080", "Secondary-Reset-At": "1893499999",
      "Credits-Has-Credits": "true", "Credits-Unlimited": "0", "Credits-Balance": "12.3",
    ])
    #expect(
      snapshot
        == ChappieUsageLimitSnapshot(
          primary: Self.primary,
          secondary: ChappieUsageWindow(
            usedPercent: 7, windowMinutes: 10080, resetsAt: .init(unixSeconds: 1_893_499_999)),
          credits: Self.credits))
  }

  /// Without a usable percentage there is no window.
  @Test(
    arguments: [
      ("-5", 0), ("100.5", 100), ("1e300", 100), ("0.25", 0.25), ("99.99", 99.99), ("nan", nil), ("inf", nil),
      ("-inf", nil), ("", nil), ("much", nil), ("1e999", nil), ("12 %", nil), ("0x", nil),
    ] as [(String, Double?)])
  func clampsThePercentage(_ text: String, _ percent: Double?) {
    #expect(
      Self.headers(["Primary-Used-Percent": text, "Primary-Window-Minutes": "300"]).primary?.usedPercent == percent)
  }

  @Test(arguments: ["0", "-1", "", "soon", "253402300800", "9223372036854775807", "99999999999999999999", "1.5"])
  func omitsAnInvalidLengthOrResetTime(_ text: String) {
    for name in ["Primary-Window-Minutes", "Primary-Reset-At"] {
      #expect(Self.headers(["Primary-Used-Percent": "1", name: text]).primary == ChappieUsageWindow(usedPercent: 1))
    }
  }

  @Test func zeroPercentAloneGivesNoWindow() {
    #expect(Self.headers(["Primary-Used-Percent": "0"]).isEmpty)
    #expect(Self.headers(["Primary-Used-Percent": "0", "Primary-Window-Minutes": "4294967296"]).isEmpty)
    #expect(
      Self.headers(["Primary-Used-Percent": "0", "Primary-Window-Minutes": "300"]).primary
        == ChappieUsageWindow(usedPercent: 0, windowMinutes: 300))
  }

  @Test func missingFieldsGiveNothing() {
    #expect(Self.headers([:]).isEmpty)
    #expect(Self.headers(["Bengalfox-Primary-Used-Percent": "50", "Plan": "pro"]).isEmpty)
    #expect(Self.headers(["Credits-Balance": "12"]).credits == nil)
    #expect(Self.headers(["Credits-Has-Credits": "perhaps"]).credits == nil)
    #expect(
      Self.headers(["Credits-Unlimited": "TRUE", "Credits-Balance": ""]).credits
        == ChappieUsageCredits(hasCredits: false, unlimited: true))
    // Control characters are removed.
    let coloured = Self.headers(["Credits-Has-Credits": "1", "Credits-Balance": "\u{1B}[31m9"])
    #expect(coloured.credits?.balance == "[31m9")
  }

  // MARK: Events

  @Test func readsAnEvent() throws {
    let event = try Self.json(
      """
      {"type":"codex.rate_limits","plan_type":"plus","metered_limit_name":null,
       "rate_limits":{"primary":{"used_percent":42.5,"window_minutes":300,"reset_at":1893456000},"secondary":null},
       "credits":{"has_credits":true,"unlimited":false,"balance":"12.3"}}
      """)
    #expect(
      ChappieUsageLimitSnapshot(event: event)
        == ChappieUsageLimitSnapshot(plan: Self.plus, primary: Self.primary, credits: Self.credits))
  }

  @Test func ignoresAnotherQuota() throws {
    let limits = #""rate_limits":{"primary":{"used_percent":42}}"#
    #expect(
      ChappieUsageLimitSnapshot(event: try Self.json("{\"metered_limit_name\":\"codex_other\",\(limits)}")) == nil)
    let own = ChappieUsageLimitSnapshot(event: try Self.json("{\"metered_limit_name\":\"codex\",\(limits)}"))
    #expect(own?.primary == ChappieUsageWindow(usedPercent: 42))
  }

  @Test(arguments: [
    "{}", "[]", "null", #"{"rate_limits":null}"#, #"{"rate_limits":[],"credits":7,"plan_type":7}"#,
    #"{"rate_limits":{"primary":7,"secondary":{"used_percent":"9"}}}"#, #"{"plan_type":""}"#,
    #"{"rate_limits":{"primary":{"window_minutes":300}}}"#,
  ])
  func emptyEventGivesAnEmptySnapshot(_ text: String) throws {
    #expect(ChappieUsageLimitSnapshot(event: try Self.json(text))?.isEmpty == true)
  }

  // MARK: The usage endpoint

  @Test func readsTheUsageEndpoint() throws {
    let answer = try Self.json(
      """
      {"plan_type":"plus",
       "rate_limit":{"allowed":true,"limit_reached":false,
         "primary_window":{"used_percent":42.5,"limit_window_seconds":18000,"reset_after_seconds":600,"reset_at":1893456000},
         "secondary_window":{"used_percent":5,"limit_window_seconds":61,"reset_after_seconds":1,"reset_at":1893456001}},
       "credits":{"has_credits":true,"unlimited":false,"balance":12.3},
       "additional_rate_limits":[{"limit_name":"x","rate_limit":{"primary_window":{"used_percent":99}}}]}
      """)
    #expect(
      ChappieUsageLimitSnapshot(answer: answer)
        == ChappieUsageLimitSnapshot(
          plan: Self.plus, primary: Self.primary,
          secondary: ChappieUsageWindow(usedPercent: 5, windowMinutes: 2, resetsAt: .init(unixSeconds: 1_893_456_001)),
          credits: Self.credits))
  }

  @Test(arguments: ["{}", "[]", "null", "7", "\"plan_type\"", #"{"detail":"no"}"#])
  func refusesOtherJSON(_ text: String) throws {
    #expect(ChappieUsageLimitSnapshot(answer: try Self.json(text)) == nil)
  }

  // MARK: Reached limits

  @Test func reachedLimitContainsItsWindows() throws {
    var headers = HTTPHeaders()
    headers.append("x-codex-primary-used-percent", "100.0")
    headers.append("x-codex-primary-reset-at", "1893456000")
    let body = #"{"error":{"type":"usage_limit_reached","plan_type":"plus","resets_at":1893456000}}"#
    let failure = ExchangeFailure(
      status: 429, retryAfter: nil, body: Array(body.utf8), host: "h",
      usage: ChappieUsageLimitSnapshot(headers: headers))
    let window = ChappieUsageWindow(usedPercent: 100, resetsAt: Self.reset)
    #expect(
      failure.error
        == .usageLimitReached(ChappieUsageLimit(plan: Self.plus, resetsAt: Self.reset, primary: window)))
  }

  @Test func reachedLimitInASocketFrameContainsItsWindows() throws {
    let frame = """
      {"type":"error","status":429,"error":{"type":"usage_limit_reached","plan_type":"plus","resets_at":1893456000},
       "headers":{"x-codex-primary-used-percent":"100.0","x-codex-secondary-used-percent":40}}
      """
    var assembler = ResponseAssembler(AnswerText())
    _ = assembler.take(ResponseEvent.decode(Array(frame.utf8).span))
    guard case .failed(let failure) = assembler.outcome, case .usageLimitReached(let limit) = failure.error else {
      throw UnmetCondition("a limit")
    }
    #expect(limit.primary == ChappieUsageWindow(usedPercent: 100))
    #expect(limit.secondary == ChappieUsageWindow(usedPercent: 40))
  }
}

/// The latest usage of the signed-in account's plan.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct UsageRecordTests {
  private static func used(_ percent: Double) -> ChappieUsageLimitSnapshot {
    ChappieUsageLimitSnapshot(primary: ChappieUsageWindow(usedPercent: percent, windowMinutes: 300))
  }

  @Test func remembersTheLatestReport() async {
    let slot = await SlotFixture.signedIn().slot
    // Another account's reports are ignored.
    #expect(slot.usage.report(Self.used(1), of: "bob") == nil)
    slot.usage.replace(with: Self.used(1), of: nil)
    #expect(slot.usage.latest == nil)
    #expect(slot.usage.report(Self.used(1), of: "ada") == Self.used(1))
    #expect(slot.usage.report(Self.used(2), of: "ada") == Self.used(2))
    #expect(slot.usage.report(ChappieUsageLimitSnapshot(), of: "ada") == nil)
    #expect(slot.usage.latest == Self.used(2))
    // The usage endpoint replaces everything.
    let whole = ChappieUsageLimitSnapshot(plan: ChappiePlan(rawValue: "pro"))
    slot.usage.replace(with: whole, of: "ada")
    #expect(slot.usage.latest == whole)
  }

  @Test func reportKeepsOmittedPlanAndCredits() async {
    let slot = await SlotFixture.signedIn().slot
    let plan = ChappiePlan(rawValue: "plus")
    let credits = ChappieUsageCredits(hasCredits: true, unlimited: false)
    slot.usage.replace(with: ChappieUsageLimitSnapshot(plan: plan, secondary: Self.used(9).primary), of: "ada")
    _ = slot.usage.report(Self.used(1), of: "ada")
    // A report contains all windows, so a missing window is gone.
    #expect(slot.usage.latest == ChappieUsageLimitSnapshot(plan: plan, primary: Self.used(1).primary))
    _ = slot.usage.report(ChappieUsageLimitSnapshot(credits: credits), of: "ada")
    #expect(
      slot.usage.latest == ChappieUsageLimitSnapshot(plan: plan, primary: Self.used(1).primary, credits: credits))
  }

  @Test func signOutForgetsTheUsage() async throws {
    let slot = await SlotFixture.signedIn().slot
    _ = slot.usage.report(Self.used(1), of: "ada")
    try await slot.signOut(interaction: .forbidden)
    #expect(slot.usage.latest == nil)
    // A running turn has no account to report about.
    #expect(slot.usage.report(Self.used(2), of: "ada") == nil)
    #expect(slot.usage.latest == nil)
  }

  @Test func anotherAccountForgetsTheUsage() async {
    let fixture = await SlotFixture.signedIn()
    _ = fixture.slot.usage.report(Self.used(1), of: "ada")
    await fixture.signIn()
    #expect(fixture.slot.usage.latest == nil)
    #expect(fixture.slot.usage.report(Self.used(2), of: "bob") == Self.used(2))
  }

  @Test func refreshAndLockKeepTheUsage() async throws {
    let fixture = await SlotFixture.signedIn()
    _ = fixture.slot.usage.report(Self.used(1), of: "ada")
    fixture.method.onRefresh = { _ in .test("new", account: "ada") }
    _ = try await fixture.slot.accessGrant(insteadOf: try await fixture.slot.accessGrant())
    fixture.store.item = .locked
    await fixture.slot.restore()
    #expect(fixture.slot.usage.latest == Self.used(1))
  }

  @Test func notifiesOnlyAboutChanges() async throws {
    let slot = await SlotFixture.signedIn().slot
    var count = 0
    let observation = slot.usage.changes.observe { count += 1 }
    for percent in [1.0, 1, 2] { _ = slot.usage.report(Self.used(percent), of: "ada") }
    #expect(count == 2)
    withExtendedLifetime(observation) {}
  }
}
