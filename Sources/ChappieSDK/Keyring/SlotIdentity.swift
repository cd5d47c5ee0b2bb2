/// What tells one stored credential from another.
struct SlotIdentity: Hashable, Sendable {
  let service: String
  let account: String
  let accessGroup: String?
  /// The verified id of the sandboxed app that owns the slot; nil outside a sandbox and in an access group.
  let appID: String?

  init(_ configuration: ChappieConfiguration) {
    service = configuration.keychainService
    account = configuration.keychainAccount
    accessGroup = configuration.keychainAccessGroup
    appID = configuration.keychainAccessGroup == nil ? configuration.ownerAppID : nil
  }
}
