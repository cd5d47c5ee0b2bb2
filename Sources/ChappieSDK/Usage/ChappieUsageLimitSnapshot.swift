/// What is used of the plan, as the backend last told it.
public struct ChappieUsageLimitSnapshot: Sendable, Hashable {
  public let plan: ChappiePlan?
  /// The shorter window, of a few hours as a rule.
  public let primary: ChappieUsageWindow?
  /// The longer one, of a week as a rule.
  public let secondary: ChappieUsageWindow?
  public let credits: ChappieUsageCredits?

  package init(
    plan: ChappiePlan? = nil, primary: ChappieUsageWindow? = nil, secondary: ChappieUsageWindow? = nil,
    credits: ChappieUsageCredits? = nil
  ) {
    self.plan = plan
    self.primary = primary
    self.secondary = secondary
    self.credits = credits
  }

  /// Whether it tells anything.
  var isEmpty: Bool { self == ChappieUsageLimitSnapshot() }

  /// This snapshot, with what `earlier` knew where it tells nothing of the plan, of the windows or of the credits.
  func filled(from earlier: ChappieUsageLimitSnapshot) -> ChappieUsageLimitSnapshot {
    let hasWindow = primary != nil || secondary != nil
    return ChappieUsageLimitSnapshot(
      plan: plan ?? earlier.plan, primary: hasWindow ? primary : earlier.primary,
      secondary: hasWindow ? secondary : earlier.secondary, credits: credits ?? earlier.credits)
  }
}

/// A span of time that the plan has a quota for.
public struct ChappieUsageWindow: Sendable, Hashable {
  /// How much of the quota is used, from 0 to 100.
  public let usedPercent: Double
  /// How long the window is.
  public let windowMinutes: Int?
  /// When it starts anew: Unix seconds in UTC.
  public let resetsAt: Int64?

  package init(usedPercent: Double, windowMinutes: Int? = nil, resetsAt: Int64? = nil) {
    self.usedPercent = usedPercent
    self.windowMinutes = windowMinutes
    self.resetsAt = resetsAt
  }
}

/// What can be used beyond the windows.
public struct ChappieUsageCredits: Sendable, Hashable {
  public let hasCredits: Bool
  public let unlimited: Bool
  /// How many are left, as the backend writes it.
  public let balance: String?

  package init(hasCredits: Bool, unlimited: Bool, balance: String? = nil) {
    self.hasCredits = hasCredits
    self.unlimited = unlimited
    self.balance = balance
  }
}
