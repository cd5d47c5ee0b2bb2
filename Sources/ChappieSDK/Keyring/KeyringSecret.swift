import SecretMemory

/// A kind of secret that the desktop keyring stores for slots, as items of one schema.
package protocol KeyringSecret: Sendable {
  /// The libsecret schema of its items.
  static var schema: String { get }
  /// The messages for a secret from another device and for a damaged one, each with advice.
  static var reasons: (otherDevice: String, damaged: String) { get }

  /// The item's label in a keyring editor.
  static func label(of slot: SlotIdentity) -> String

  /// The text about the secret in a note on the disk, in clear. It contains no secret.
  var note: String { get }

  /// Returns nil for bytes that ``encode()`` did not make.
  static func decode(_ bytes: SecretBytes) -> Self?
  func encode() throws -> SecretBytes

  /// Whether this secret takes precedence over `other`, when a crash has left both in the keyring.
  func counts(before other: Self) -> Bool
}

extension KeyringSecret {
  package var note: String { "" }
}
