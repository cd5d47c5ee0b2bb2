import SecretMemory

/// What the desktop keyring keeps for slots: items of one schema.
package protocol KeyringSecret: Sendable {
  /// The libsecret schema of its items.
  static var schema: String { get }
  /// Why it is of no use where it was made on another device, or is damaged; with what to do.
  static var reasons: (otherDevice: String, damaged: String) { get }

  /// What its item is called in a keyring editor.
  static func label(of slot: SlotIdentity) -> String

  /// Nil for bytes that ``encode()`` did not make.
  static func decode(_ bytes: SecretBytes) -> Self?
  func encode() throws -> SecretBytes

  /// Whether this one counts where a crash has left both.
  func counts(before other: Self) -> Bool
}
