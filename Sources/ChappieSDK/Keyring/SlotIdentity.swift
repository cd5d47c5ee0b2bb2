import GLibBridge
import SecretMemory

/// What tells one stored credential from another, and one store of threads from another.
package struct SlotIdentity: Hashable, Sendable {
  package let service: String
  package let account: String
  package let accessGroup: String?
  /// Whose slot it is, as ``ChappieApplicationID/attribute`` has it; nil for the desktop user's, and for a credential of
  /// an access group, which its members share.
  package let appID: String?

  /// That of the credential.
  package init(_ configuration: ChappieConfiguration) {
    let isShared = configuration.keychainAccessGroup != nil
    self.init(configuration, appID: isShared ? nil : configuration.applicationID.attribute)
  }

  /// That of the threads. Members of an access group share a sign-in, not what each of them was told: each has files
  /// and a key of its own.
  package init(threadsOf configuration: ChappieConfiguration) {
    self.init(configuration, appID: configuration.applicationID.attribute)
  }

  private init(_ configuration: ChappieConfiguration, appID: String?) {
    service = configuration.keychainService
    account = configuration.keychainAccount
    accessGroup = configuration.keychainAccessGroup
    self.appID = appID
  }

  /// Whose it is, for a person: the application, else the service.
  var ownerName: String { appID.map(ChappieApplicationID.shown) ?? service }

  /// What the log calls the slot.
  package var logSlot: LogSlot { LogSlot(fingerprint: fingerprint(purpose: "org.chappie log")) }

  /// A name for the slot that does not tell it, fit to be a file's.
  func fingerprint(purpose: String) -> String {
    let text = [service, account, accessGroup ?? "", appID ?? ""].joined(separator: "\0")
    return KeyDerivation.fingerprint(of: Array(text.utf8), purpose: purpose)
  }
}
