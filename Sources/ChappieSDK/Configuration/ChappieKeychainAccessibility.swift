/// When a stored credential may be read. The keychain is the desktop's keyring.
public enum ChappieKeychainAccessibility: String, Sendable, Hashable, CaseIterable {
  /// Only while the keyring is unlocked and the screen is not locked. The default.
  case whenUnlockedThisDeviceOnly = "when-unlocked-this-device-only"

  /// Once the keyring was unlocked since login, also while it is locked again: for work in the background.
  case afterFirstUnlockThisDeviceOnly = "after-first-unlock-this-device-only"
}

/// The rule for reading where the state of the screen is unknown.
package enum UnknownLockPolicy: String, Sendable, Hashable, CaseIterable {
  /// The keyring alone decides.
  case keyring
  /// Nothing is read.
  case deny
}
