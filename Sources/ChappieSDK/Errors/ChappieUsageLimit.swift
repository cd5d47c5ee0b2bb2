/// A quota that is used up.
public struct ChappieUsageLimit: Sendable, Hashable, CustomStringConvertible {
  public let plan: ChappiePlan?
  /// When it can be used again: Unix seconds in UTC.
  public let resetsAt: Int64?
  /// The windows, where the refusal tells of them.
  public let primary: ChappieUsageWindow?
  public let secondary: ChappieUsageWindow?

  package init(
    plan: ChappiePlan?, resetsAt: Int64?, primary: ChappieUsageWindow? = nil, secondary: ChappieUsageWindow? = nil
  ) {
    self.plan = plan
    self.resetsAt = resetsAt
    self.primary = primary
    self.secondary = secondary
  }

  public var description: String {
    let whose = plan.map { "The usage limit of the \($0.displayName) plan" } ?? "The usage limit"
    return "\(whose) is reached: wait until it resets, or see the usage page of ChatGPT's settings."
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

/// A ChatGPT plan, as the server names it.
public struct ChappiePlan: Sendable, Hashable, RawRepresentable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The name for people. A plan that is new to this library shows the server's word for it.
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
