// SPDX-License-Identifier: Apache-2.0

/// The used part of the plan, from the backend's latest report.
public struct ChappieUsageLimitSnapshot: Sendable, Hashable {
  public let plan: ChappiePlan?
  /// The shorter window, usually a few hours.
  public let primary: ChappieUsageWindow?
  /// The longer window, usually a week.
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

  /// Whether the snapshot contains no values.
  var isEmpty: Bool { self == ChappieUsageLimitSnapshot() }

  /// Returns this snapshot, with a missing plan, missing windows and missing credits taken from `earlier`.
  func filled(from earlier: ChappieUsageLimitSnapshot) -> ChappieUsageLimitSnapshot {
    let hasWindow = primary != nil || secondary != nil
    return ChappieUsageLimitSnapshot(
      plan: plan ?? earlier.plan, primary: hasWindow ? primary : earlier.primary,
      secondary: hasWindow ? secondary : earlier.secondary, credits: credits ?? earlier.credits)
  }
}

/// Credits for use beyond the windows.
public struct ChappieUsageCredits: Sendable, Hashable {
  public let hasCredits: Bool
  public let unlimited: Bool
  /// The remaining credits, in the backend's notation.
  public let balance: String?

  package init(hasCredits: Bool, unlimited: Bool, balance: String? = nil) {
    self.hasCredits = hasCredits
    self.unlimited = unlimited
    self.balance = balance
  }
}
