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
  func event(_ user: StandInUser) -> JSONValue {
    [
      "type": "codex.rate_limits", "plan_type": .string(plan ?? user.plan), "metered_limit_name": nil,
      "rate_limits": ["primary": Self.frame(primary), "secondary": Self.frame(secondary)], "credits": creditsJSON,
    ]
  }

  private static func frame(_ window: Window?) -> JSONValue {
    guard let window else { return nil }
    return [
      "used_percent": .number(window.usedPercent), "window_minutes": JSONValue(window.minutes),
      "reset_at": JSONValue(window.resetAt),
    ]
  }

  /// The answer of the usage endpoint.
  func json(_ user: StandInUser) -> JSONValue {
    [
      "plan_type": .string(plan ?? user.plan),
      "rate_limit": [
        "allowed": .bool(!isLimitReached), "limit_reached": .bool(isLimitReached),
        "primary_window": Self.window(primary), "secondary_window": Self.window(secondary),
      ],
      "credits": creditsJSON, "spend_control": nil, "additional_rate_limits": nil, "rate_limit_reached_type": nil,
      "rate_limit_reset_credits": nil,
    ]
  }

  private static func window(_ window: Window?) -> JSONValue {
    guard let window else { return nil }
    return [
      "used_percent": JSONValue(Int(window.usedPercent.rounded())),
      "limit_window_seconds": JSONValue(window.minutes * 60),
      "reset_after_seconds": JSONValue(max(0, window.resetAt - now)), "reset_at": JSONValue(window.resetAt),
    ]
  }

  private var creditsJSON: JSONValue {
    [
      "has_credits": .bool(credits.hasCredits), "unlimited": .bool(credits.isUnlimited),
      "balance": .string(credits.balance),
    ]
  }
}
