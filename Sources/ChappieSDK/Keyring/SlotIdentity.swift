import SecretMemory

/// What tells one stored credential from another.
package struct SlotIdentity: Hashable, Sendable {
  package let service: String
  package let account: String
  package let accessGroup: String?
  /// The verified id of the sandboxed app that owns the slot; nil outside a sandbox and in an access group.
  package let appID: String?

  package init(_ configuration: ChappieConfiguration) {
    service = configuration.keychainService
    account = configuration.keychainAccount
    accessGroup = configuration.keychainAccessGroup
    appID = configuration.keychainAccessGroup == nil ? configuration.ownerAppID : nil
  }

  /// A name for the slot that does not tell it, fit to be a file's.
  func fingerprint(purpose: String) -> String {
    let text = [service, account, accessGroup ?? "", appID ?? ""].joined(separator: "\0")
    return SealedBytes.fingerprint(of: Array(text.utf8), purpose: purpose)
  }
}
