/// The signed-in account, as the tokens of the stored credential describe it. A part that they do not name is nil.
public struct ChappieAccountInfo: Sendable, Hashable {
  /// The user's email address.
  public let email: String?
  /// The server's id of the user.
  public let userID: String?
  /// The server's id of the account whose plan pays for requests. A user can have several.
  public let accountID: String?
  /// The account's plan when the tokens were issued.
  public let plan: ChappiePlan?

  package init(email: String? = nil, userID: String? = nil, accountID: String? = nil, plan: ChappiePlan? = nil) {
    self.email = email
    self.userID = userID
    self.accountID = accountID
    self.plan = plan
  }

  /// Whether answers to `requester` are this account's: its id or, where it has none, its user's.
  func isRequester(_ requester: String?) -> Bool {
    requester == accountID ?? userID || requester == accountID
  }
}
