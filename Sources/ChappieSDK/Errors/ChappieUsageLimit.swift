// SPDX-License-Identifier: Apache-2.0
import Platform

/// A used-up quota.
public struct ChappieUsageLimit: Sendable, Hashable, CustomStringConvertible {
  /// The plan whose quota is used up; nil if the backend does not state it.
  public let plan: ChappiePlan?
  /// The time of the quota's reset: Unix seconds in UTC.
  public let resetsAt: Int64?
  /// The shorter window; nil when the backend's refusal does not contain it.
  public internal(set) var primary: ChappieUsageWindow?
  /// The longer window; nil when the backend's refusal does not contain it.
  public internal(set) var secondary: ChappieUsageWindow?

  public var description: String { text.original }

  /// The description, which can be looked up in the user's language.
  var text: LocalizedText {
    guard let plan else {
      return translatable(
        "The usage limit is reached: wait until it resets, or see the usage page of ChatGPT's settings.")
    }
    return translatable(
      """
      The usage limit of the \(plan.displayName) plan is reached: wait until it resets, or see the usage page of \
      ChatGPT's settings.
      """)
  }
}

/// A period with a quota of the plan.
public struct ChappieUsageWindow: Sendable, Hashable {
  /// The used part of the quota, in percent from 0 to 100.
  public let usedPercent: Double
  /// The length of the window, in minutes.
  public internal(set) var windowMinutes: Int?
  /// The time of the window's reset: Unix seconds in UTC.
  public internal(set) var resetsAt: Int64?
}

/// A ChatGPT plan, by the server's name for it.
public struct ChappiePlan: Sendable, Hashable, RawRepresentable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The name for users. A plan unknown to this library shows the server's name.
  public var displayName: String {
    switch rawValue.lowercased() {
    case "free": "Free"
    case "go": "Go"
    case "plus": "Plus"
    case "pro": "Pro"
    case "prolite": "Pro Lite"
    case "team": "Team"
    case "business", "self_serve_business_prolite", "self_serve_business_usage_based": "Business"
    case "enterprise", "hc", "ent26", "enterprise_cbp_automation", "enterprise_cbp_usage_based": "Enterprise"
    case "edu", "education", "edu_plus", "edu_pro": "Edu"
    default: rawValue
    }
  }
}
