// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The desktop keyring of this process.
@GLibActor
package enum DesktopKeyring {
  /// The keyring's configuration. A program sets it before it uses a slot.
  package static var policy = KeyringPolicy()

  static let client = SecretServiceClient(allowsPlainSessions: { policy.allowsPlainSessions })
  static let seals = DeviceSeals([
    .file: DeviceKeyFile(directory: .deviceKeys), .tpm2: TPMDeviceKey(directory: .deviceKeys),
  ]) { policy.deviceKey }
}

/// A program's settings for the desktop keyring.
package struct KeyringPolicy: Sendable, Hashable {
  /// The place of the key that seals new items.
  package var deviceKey = DeviceKeyPlace.file

  /// Whether secrets may cross the session bus unencrypted when the keyring offers no encrypted session.
  package var allowsPlainSessions = false

  package init() {}
}
