import SecretMemory

/// What the desktop keyring keeps for slots: items of one schema.
package protocol KeyringSecret: Sendable {
  /// The libsecret schema of its items.
  static var schema: String { get }
  /// Why it is of no use where it was made on another device, or is damaged; with what to do.
  static var reasons: (otherDevice: String, damaged: String) { get }

  /// What its item is called in a keyring editor.
  static func label(of slot: SlotIdentity) -> String

  /// What a note on the disk says of the secret, in clear: nothing that is one.
  var note: String { get }

  /// Nil for bytes that ``encode()`` did not make.
  static func decode(_ bytes: SecretBytes) -> Self?
  func encode() throws -> SecretBytes

  /// Whether this one counts where a crash has left both.
  func counts(before other: Self) -> Bool
}

extension KeyringSecret {
  package var note: String { "" }
}
