// SPDX-License-Identifier: Apache-2.0
import Platform

/// A used-up quota.
public struct ChappieUsageLimit: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The plan whose quota is used up; nil if the backend does not state it.
  public let plan: ChappiePlan?
  /// The time of the quota's reset; nil if the backend does not state it.
  public var resetsAt: ChappieTime? { resetsAtSeconds.map { ChappieTime(unixSeconds: $0) } }
  /// Unix seconds in UTC.
  package let resetsAtSeconds: Int64?
  /// The shorter window; nil when the backend's refusal does not contain it.
  public internal(set) var primary: ChappieUsageWindow?
  /// The longer window; nil when the backend's refusal does not contain it.
  public internal(set) var secondary: ChappieUsageWindow?

  private enum CodingKeys: String, CodingKey {
    case plan, primary, secondary
    case resetsAtSeconds = "resetsAt"
  }

  /// Creates a limit, such as for a preview.
  public init(
    plan: ChappiePlan? = nil, resetsAt: ChappieTime? = nil, primary: ChappieUsageWindow? = nil,
    secondary: ChappieUsageWindow? = nil
  ) {
    self.plan = plan
    resetsAtSeconds = resetsAt?.unixSeconds
    self.primary = primary
    self.secondary = secondary
  }

  public var description: String {
    guard let plan else {
      return en(
        "The usage limit is reached: wait until it resets, or see the usage page of ChatGPT's settings.")
    }
    return en(
      """
      The usage limit of the \(plan.displayName) plan is reached: wait until it resets, or see the usage page of \
      ChatGPT's settings.
      """)
  }
}

/// A period with a quota of the plan.
public struct ChappieUsageWindow: Sendable, Hashable, Codable {
  /// The used part of the quota, in percent from 0 to 100.
  public let usedPercent: Double
  /// The length of the window, in minutes.
  public internal(set) var windowMinutes: Int?
  /// The time of the window's reset.
  public var resetsAt: ChappieTime? { resetsAtSeconds.map { ChappieTime(unixSeconds: $0) } }
  /// Unix seconds in UTC.
  package var resetsAtSeconds: Int64?

  private enum CodingKeys: String, CodingKey {
    case usedPercent, windowMinutes
    case resetsAtSeconds = "resetsAt"
  }

  /// Creates a window, such as for a preview.
  public init(usedPercent: Double, windowMinutes: Int? = nil, resetsAt: ChappieTime? = nil) {
    self.usedPercent = usedPercent
    self.windowMinutes = windowMinutes
    resetsAtSeconds = resetsAt?.unixSeconds
  }
}

/// A ChatGPT plan, by the server's name for it.
public struct ChappiePlan: Sendable, Hashable, Codable, RawRepresentable {
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
