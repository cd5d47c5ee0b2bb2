import ChappieSDK

extension UsageMeter {
  /// Sets the members that a control request names. If the request is invalid, nothing changes.
  ///
  /// `{"plan": "pro", "primary": {"used_percent": 42.5, "reset_at": 1893456000, "window_minutes": 300, "growth": 0.5},
  /// "secondary": null, "credits": {"has_credits": true, "unlimited": false, "balance": "12.3"}}`
  func set(_ json: ChappieJSONValue) throws(StandInRule.Reader.Problem) {
    var reader = try StandInRule.Reader(json)
    let plan = try reader.string("plan") ?? plan
    let primary = try Self.window(&reader, "primary", primary, minutes: 300)
    let secondary = try Self.window(&reader, "secondary", secondary, minutes: 10080)
    var credits = credits
    if let value = reader.take("credits") {
      var members = try StandInRule.Reader(value)
      credits.hasCredits = try members.bool("has_credits") ?? credits.hasCredits
      credits.isUnlimited = try members.bool("unlimited") ?? credits.isUnlimited
      credits.balance = try members.string("balance") ?? credits.balance
      try members.expectEnd()
    }
    try reader.expectEnd()
    (self.plan, self.primary, self.secondary, self.credits) = (plan, primary, secondary, credits)
  }

  private static func window(
    _ reader: inout StandInRule.Reader, _ key: String, _ old: Window?, minutes: Int
  ) throws(StandInRule.Reader.Problem) -> Window? {
    guard let value = reader.take(key) else { return old }
    if value == .null { return nil }
    var members = try StandInRule.Reader(value)
    var window = old ?? Window(usedPercent: 0, minutes: minutes, resetAt: now + minutes * 60, growth: 0)
    window.usedPercent = try members.number("used_percent", in: 0...100) ?? window.usedPercent
    window.minutes = try members.integer("window_minutes", in: 1...525_600) ?? window.minutes
    window.resetAt = try members.integer("reset_at", in: 0...Int(Int32.max) * 8) ?? window.resetAt
    window.growth = try members.number("growth", in: 0...100) ?? window.growth
    try members.expectEnd()
    return window
  }
}
