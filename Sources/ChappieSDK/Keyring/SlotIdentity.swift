// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// Identifies one stored credential or one store of threads.
package struct SlotIdentity: Hashable, Sendable {
  package let service: String
  package let account: String
  package let accessGroup: String?
  /// The slot's owner, as in ``ChappieApplicationID/attribute``. Nil for the desktop user's slots and for the
  /// credential of an access group, because its members share it.
  package let appID: String?

  /// The identity of the credential.
  package init(_ configuration: ChappieConfiguration) {
    let isShared = configuration.keychainAccessGroup != nil
    self.init(configuration, appID: isShared ? nil : configuration.applicationID.attribute)
  }

  /// The identity of the threads. Members of an access group share a sign-in but not their threads: each member has its
  /// own files and its own key.
  package init(threadsOf configuration: ChappieConfiguration) {
    self.init(configuration, appID: configuration.applicationID.attribute)
  }

  /// Reads the form of the keyring, in which a missing value is an empty string.
  init(service: String, account: String, accessGroup: String?, appID: String?) {
    self.service = service
    self.account = account
    self.accessGroup = accessGroup == "" ? nil : accessGroup
    self.appID = appID == "" ? nil : appID
  }

  private init(_ configuration: ChappieConfiguration, appID: String?) {
    service = configuration.keychainService
    account = configuration.keychainAccount
    accessGroup = configuration.keychainAccessGroup
    self.appID = appID
  }

  /// The owner for messages: the application or, without one, the service.
  var ownerName: String { appID.map(ChappieApplicationID.shown) ?? service }

  /// The owner in requests to a server that knows each application by itself.
  var originator: String {
    (appID ?? accessGroup).map(ChappieApplicationID.originator) ?? ChappieApplicationID.ownOriginator
  }

  /// The slot's name in the log.
  package var logSlot: LogSlot { LogSlot(fingerprint: fingerprint(purpose: "org.chappie log")) }

  /// A file name for the slot that does not reveal its identity.
  func fingerprint(purpose: String) -> String {
    let text = [service, account, accessGroup ?? "", appID ?? ""].joined(separator: "\0")
    return KeyDerivation.fingerprint(of: Array(text.utf8), purpose: purpose)
  }
}

extension SlotIdentity {
  /// The search attributes of a slot. A missing value is an empty string, because a search ignores absent attributes.
  var attributes: [String: String] {
    [
      SlotAttribute.service: service, SlotAttribute.account: account, SlotAttribute.accessGroup: accessGroup ?? "",
      SlotAttribute.appID: appID ?? "",
    ]
  }

  /// The slot of an item with these attributes; nil for an item of another program.
  init?(attributes: [String: String]) {
    guard let service = attributes[SlotAttribute.service], let account = attributes[SlotAttribute.account] else {
      return nil
    }
    self.init(
      service: service, account: account, accessGroup: attributes[SlotAttribute.accessGroup],
      appID: attributes[SlotAttribute.appID])
  }

  /// Whether an item with these attributes is one of this slot.
  func owns(_ item: [String: String]) -> Bool { attributes.allSatisfy { item[$0.key] == $0.value } }
}

/// The attribute names of slots' items.
enum SlotAttribute {
  static let service = "service"
  static let account = "account"
  static let accessGroup = "access-group"
  static let appID = "app-id"
  static let accessibility = "accessibility"
  static let device = "device"
  static let version = "version"
  static let copy = "copy"
}
