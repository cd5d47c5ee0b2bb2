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
