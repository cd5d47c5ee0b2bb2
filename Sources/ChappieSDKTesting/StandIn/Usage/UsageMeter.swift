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

  /// The refusal of a request if the limit is reached; nil otherwise.
  func refusal(_ user: StandInUser) -> HTTPServerResponse? {
    guard isLimitReached, let usedUp else { return nil }
    return .json(
      [
        "error": [
          "type": "usage_limit_reached", "message": "The usage limit has been reached",
          "plan_type": .string(plan ?? user.plan), "resets_at": ChappieJSONValue(usedUp.resetAt),
          "resets_in_seconds": ChappieJSONValue(max(0, usedUp.resetAt - Self.now)),
        ]
      ], status: 429, headers: headers)
  }
}

extension UsageMeter.Window {
  fileprivate mutating func grow() {
    guard usedPercent < 99 else { return }
    usedPercent = min(usedPercent + growth, 99)
  }
}
