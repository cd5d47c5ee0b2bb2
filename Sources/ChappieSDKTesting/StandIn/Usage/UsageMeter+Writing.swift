import ChappieSDK

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
