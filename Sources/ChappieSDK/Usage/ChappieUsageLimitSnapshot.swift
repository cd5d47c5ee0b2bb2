// SPDX-License-Identifier: Apache-2.0

/// The used part of the plan, from the backend's latest report.
public struct ChappieUsageLimitSnapshot: Sendable, Hashable, Codable {
  /// The plan; nil when the backend did not state it.
  public internal(set) var plan: ChappiePlan?
  /// The shorter window, usually a few hours.
  public internal(set) var primary: ChappieUsageWindow?
  /// The longer window, usually a week.
  public internal(set) var secondary: ChappieUsageWindow?
  /// The credits; nil when the backend did not state them.
  public internal(set) var credits: ChappieUsageCredits?

  /// Creates a snapshot, such as for a preview.
  public init(
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
public struct ChappieUsageCredits: Sendable, Hashable, Codable {
  /// Whether the account has any credits.
  public let hasCredits: Bool
  /// Whether the account may use any number of credits.
  public let unlimited: Bool
  /// The remaining credits, in the backend's notation.
  public internal(set) var balance: String?

  /// Creates credits, such as for a preview.
  public init(hasCredits: Bool, unlimited: Bool, balance: String? = nil) {
    self.hasCredits = hasCredits
    self.unlimited = unlimited
    self.balance = balance
  }
}

/// The tokens used by an answer, as the backend counts them.
public struct ChappieTokenUsage: Sendable, Hashable, Codable {
  /// The tokens of the request, 0 or more.
  public let inputTokens: Int
  /// The part of the input from the backend's cache.
  public let cachedInputTokens: Int
  /// The tokens of the answer, 0 or more.
  public let outputTokens: Int
  /// The part of the output used for reasoning.
  public let reasoningTokens: Int

  /// Creates a count, such as for a preview.
  public init(inputTokens: Int = 0, cachedInputTokens: Int = 0, outputTokens: Int = 0, reasoningTokens: Int = 0) {
    self.inputTokens = inputTokens
    self.cachedInputTokens = cachedInputTokens
    self.outputTokens = outputTokens
    self.reasoningTokens = reasoningTokens
  }
}
