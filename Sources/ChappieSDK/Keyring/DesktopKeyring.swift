/// How this program uses the desktop keyring.
package struct KeyringPolicy: Sendable, Hashable {
  /// Where the key is kept that new items are sealed with.
  package var deviceKey = DeviceKeyPlace.file

  /// Whether secrets may cross the session bus in clear, where the keyring offers no encrypted session.
  package var allowsPlainSessions = false

  package init() {}
}
