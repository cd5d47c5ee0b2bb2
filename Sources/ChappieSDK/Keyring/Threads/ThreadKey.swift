import SecretMemory

/// The key that seals a slot's stored threads.
struct ThreadKey: KeyringSecret {
  static let schema = "org.chappie.ThreadKey"
  static let reasons = (
    otherDevice:
      "The stored threads were made on another device, or the key of this device is gone: nothing of them can be read; delete all of them to begin anew.",
    damaged: "The key of the stored threads is damaged, or another version's: delete all threads to begin anew."
  )

  let bytes: SecretBytes

  static func label(of slot: SlotIdentity) -> String {
    "ChatGPT threads (\(slot.ownerName), \(slot.account))"
  }

  static func decode(_ bytes: SecretBytes) -> ThreadKey? {
    bytes.count == AEAD.keyLength ? ThreadKey(bytes: bytes) : nil
  }

  func encode() -> SecretBytes { bytes }

  /// Only one key is ever made. Between two, neither could take precedence, so the first one found stays.
  func counts(before other: ThreadKey) -> Bool { false }
}
