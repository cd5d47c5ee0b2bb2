import SecretMemory

/// The key that seals a slot's stored threads.
struct ThreadKey: KeyringSecret {
  static let schema = "org.chappie.ThreadKey"
  static let reasons = (
    otherDevice:
      "The stored threads were made on another device, or the key of this device is gone: they cannot be read. Delete all threads to start again.",
    damaged: "The key of the stored threads is damaged, or of another version. Delete all threads to start again."
  )

  let bytes: SecretBytes

  static func label(of slot: SlotIdentity) -> String {
    "ChatGPT threads (\(slot.ownerName), \(slot.account))"
  }

  static func decode(_ bytes: SecretBytes) -> ThreadKey? {
    bytes.count == AEAD.keyLength ? ThreadKey(bytes: bytes) : nil
  }

  func encode() -> SecretBytes { bytes }

  /// Only one key is ever made, so none takes precedence over another: the first usable one that is found stays.
  func counts(before other: ThreadKey) -> Bool { false }
}
