/// How this program uses the desktop keyring.
package struct KeyringPolicy: Sendable, Hashable {
  /// Where the key is kept that new items are sealed with.
  package var deviceKey = DeviceKeyPlace.file

  package init() {}
}
