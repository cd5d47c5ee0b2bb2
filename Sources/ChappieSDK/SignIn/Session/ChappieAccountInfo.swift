/// Who is signed in. Derived from the stored credential; each part may be unknown.
public struct ChappieAccountInfo: Sendable, Hashable {
  public let email: String?
  public let userID: String?
  public let accountID: String?
  public let plan: ChappiePlan?

  package init(email: String? = nil, userID: String? = nil, accountID: String? = nil, plan: ChappiePlan? = nil) {
    self.email = email
    self.userID = userID
    self.accountID = accountID
    self.plan = plan
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
