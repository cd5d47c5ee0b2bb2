/// The signed-in account, derived from the stored credential. Each part may be unknown.
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
