import GLibBridge
import Platform
import SecretMemory

/// Renewed tokens that the store has not taken yet. The server has already forgotten their predecessors.
struct PendingCredential {
  let credential: EncryptedCredential
  let predecessor: EncryptedCredential
  let accessibility: ChappieKeychainAccessibility
  /// Keeps the slot until the store has taken them: they must outlive the caller that needed them.
  let slot: CredentialSlot

  /// Whether `stored` is what these tokens replace. It may be they themselves, where the store took them and reported
  /// a failure all the same.
  func isNewer(than stored: Credential) -> Bool {
    [predecessor, credential].contains { stored.accessToken.isEqual(to: $0.credential.accessToken) }
  }
}

/// A refusal that the store has not taken yet.
struct PendingRefusal {
  /// When the refused credential was renewed: Unix seconds.
  let renewedAt: Int64
  let moment: BootTime
}
