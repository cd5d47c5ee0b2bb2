import GLibBridge

/// The desktop keyring as this process uses it.
@GLibActor
package enum DesktopKeyring {
  /// What the configuration says of the keyring. A program sets it before it uses a slot.
  package static var policy = KeyringPolicy()

  static let client = SecretServiceClient(allowsPlainSessions: { policy.allowsPlainSessions })
  static let seals = DeviceSeals([
    .file: DeviceKeyFile(directory: .deviceKeys), .tpm2: TPMDeviceKey(directory: .deviceKeys),
  ]) { policy.deviceKey }
}

/// How this program uses the desktop keyring.
package struct KeyringPolicy: Sendable, Hashable {
  /// Where the key is kept that new items are sealed with.
  package var deviceKey = DeviceKeyPlace.file

  /// Whether secrets may cross the session bus in clear, where the keyring offers no encrypted session.
  package var allowsPlainSessions = false

  package init() {}
}
