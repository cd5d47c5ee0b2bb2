// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import FoundationEssentials
import GLibBridge
import HTTPTestServer

/// The usage of the plan. The usage endpoint, header fields and frames report it.
@GLibActor
final class UsageMeter {
  struct Window: Sendable, Equatable {
    var usedPercent: Double
    var minutes: Int
    /// The time of the reset, in Unix seconds.
    var resetAt: Int
    /// The percentage that each answer adds. Growth alone never reaches the limit.
    var growth: Double

    fileprivate mutating func grow() {
      guard usedPercent < 99 else { return }
      usedPercent = min(usedPercent + growth, 99)
    }
  }

  struct Credits: Sendable, Equatable {
    var hasCredits = false
    var isUnlimited = false
    var balance = "0"
  }

  /// The plan; nil for the plan of the user.
  var plan: String?
  var primary: Window?
  var secondary: Window?
  var credits = Credits()

  init() {
    let now = Self.now
    primary = Window(usedPercent: 12, minutes: 300, resetAt: now + 300 * 60, growth: 0.5)
    secondary = Window(usedPercent: 4, minutes: 10080, resetAt: now + 10080 * 60, growth: 0.25)
  }

  static var now: Int { Int(Date().timeIntervalSince1970) }

  /// Adds the growth for one answer to each window.
  func grow() {
    primary?.grow()
    secondary?.grow()
  }

  /// Whether the limit is reached and no credits are left.
  var isLimitReached: Bool {
    usedUp != nil && !(credits.hasCredits || credits.isUnlimited)
  }

  /// The exhausted window with the latest reset.
  private var usedUp: Window? {
    [primary, secondary].compactMap { $0 }.filter { $0.usedPercent >= 100 }.max { $0.resetAt < $1.resetAt }
  }

  /// Refuses a request if the limit is reached.
  func checkLimit(_ user: StandInUser) throws(HTTPServerResponse) {
    guard isLimitReached, let usedUp else { return }
    throw .json(
      [
        "error": [
          "type": "usage_limit_reached", "message": "The usage limit has been reached",
          "plan_type": .string(plan ?? user.plan), "resets_at": ChappieJSONValue(usedUp.resetAt),
          "resets_in_seconds": ChappieJSONValue(max(0, usedUp.resetAt - Self.now)),
        ]
      ], status: 429, headers: headers)
  }
}

extension UsageMeter {
  /// The header fields of an answer.
  var headers: [(name: String, value: String)] {
    fields("primary", primary) + fields("secondary", secondary) + [
      ("x-codex-credits-has-credits", String(credits.hasCredits)),
      ("x-codex-credits-unlimited", String(credits.isUnlimited)), ("x-codex-credits-balance", credits.balance),
    ]
  }

  private func fields(_ name: String, _ window: Window?) -> [(name: String, value: String)] {
    guard let window else { return [] }
    return [
      ("x-codex-\(name)-used-percent", String(window.usedPercent)),
      ("x-codex-\(name)-window-minutes", String(window.minutes)), ("x-codex-\(name)-reset-at", String(window.resetAt)),
    ]
  }

  /// The frame on a WebSocket.
  func event(_ user: StandInUser) -> ChappieJSONValue {
    [
      "type": "codex.rate_limits", "plan_type": .string(plan ?? user.plan), "metered_limit_name": .null,
      "rate_limits": ["primary": Self.frame(primary), "secondary": Self.frame(secondary)], "credits": creditsJSON,
    ]
  }

  private static func frame(_ window: Window?) -> ChappieJSONValue {
    guard let window else { return .null }
    return [
      "used_percent": .number(window.usedPercent), "window_minutes": ChappieJSONValue(window.minutes),
      "reset_at": ChappieJSONValue(window.resetAt),
    ]
  }

  /// The answer of the usage endpoint.
  func json(_ user: StandInUser) -> ChappieJSONValue {
    [
      "plan_type": .string(plan ?? user.plan),
      "rate_limit": [
        "allowed": .bool(!isLimitReached), "limit_reached": .bool(isLimitReached),
        "primary_window": Self.window(primary), "secondary_window": Self.window(secondary),
      ],
      "credits": creditsJSON, "spend_control": .null, "additional_rate_limits": .null, "rate_limit_reached_type": .null,
      "rate_limit_reset_credits": .null,
    ]
  }

  private static func window(_ window: Window?) -> ChappieJSONValue {
    guard let window else { return .null }
    return [
      "used_percent": ChappieJSONValue(Int(window.usedPercent.rounded())),
      "limit_window_seconds": ChappieJSONValue(window.minutes * 60),
      "reset_after_seconds": ChappieJSONValue(max(0, window.resetAt - now)),
      "reset_at": ChappieJSONValue(window.resetAt),
    ]
  }

  private var creditsJSON: ChappieJSONValue {
    [
      "has_credits": .bool(credits.hasCredits), "unlimited": .bool(credits.isUnlimited),
      "balance": .string(credits.balance),
    ]
  }
}

extension UsageMeter {
  /// Sets the members that a control request names. If the request is invalid, nothing changes.
  ///
  /// `{"plan": "pro", "primary": {"used_percent": 42.5, "reset_at": 1893456000, "window_minutes": 300, "growth": 0.5},
  /// "secondary": null, "credits": {"has_credits": true, "unlimited": false, "balance": "12.3"}}`
  func set(_ json: ChappieJSONValue) throws(StandInScenarioError) {
    let reader = try RuleReader(json)
    let plan = try reader.string("plan") ?? plan
    let primary = try Self.window(reader, "primary", primary, minutes: 300)
    let secondary = try Self.window(reader, "secondary", secondary, minutes: 10080)
    var credits = credits
    if let part = try reader.part("credits") {
      credits.hasCredits = try part.bool("has_credits") ?? credits.hasCredits
      credits.isUnlimited = try part.bool("unlimited") ?? credits.isUnlimited
      credits.balance = try part.string("balance") ?? credits.balance
    }
    try reader.end()
    (self.plan, self.primary, self.secondary, self.credits) = (plan, primary, secondary, credits)
  }

  private static func window(
    _ reader: RuleReader, _ key: String, _ old: Window?, minutes: Int
  ) throws(StandInScenarioError) -> Window? {
    guard let value = reader.take(key) else { return old }
    if value == .null { return nil }
    let part = try reader.part(of: value)
    var window = old ?? Window(usedPercent: 0, minutes: minutes, resetAt: now + minutes * 60, growth: 0)
    window.usedPercent = try part.number("used_percent", in: 0...100) ?? window.usedPercent
    window.minutes = try part.integer("window_minutes", in: 1...525_600) ?? window.minutes
    window.resetAt = try part.integer("reset_at", in: 0...Int(Int32.max) * 8) ?? window.resetAt
    window.growth = try part.number("growth", in: 0...100) ?? window.growth
    return window
  }
}
