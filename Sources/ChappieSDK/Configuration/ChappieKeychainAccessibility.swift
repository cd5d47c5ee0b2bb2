/// The rule for reading a stored credential. The keychain is the desktop's keyring.
public enum ChappieKeychainAccessibility: String, Sendable, Hashable, CaseIterable {
  /// Only while the keyring and the screen are unlocked. The default.
  case whenUnlockedThisDeviceOnly = "when-unlocked-this-device-only"

  /// After the first unlock of the keyring since login, even when it is locked again. For work in the background.
  case afterFirstUnlockThisDeviceOnly = "after-first-unlock-this-device-only"
}

/// The rule for reading when the state of the screen is unknown.
package enum UnknownLockPolicy: String, Sendable, Hashable, CaseIterable {
  /// The keyring alone decides.
  case keyring
  /// Nothing is read.
  case deny
}
