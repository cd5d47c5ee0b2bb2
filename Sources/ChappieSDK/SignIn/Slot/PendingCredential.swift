import GLibBridge
import Platform
import SecretMemory

/// Refreshed tokens that the store has not taken yet. The server no longer accepts their predecessors.
struct PendingCredential {
  let credential: EncryptedCredential
  let predecessor: EncryptedCredential
  let accessibility: ChappieKeychainAccessibility
  /// Keeps the slot alive until the store has the tokens, because they must outlive the caller that needed them.
  let slot: CredentialSlot

  /// Whether these tokens replace `stored`. They may be `stored` itself, if the store took them and still reported a
  /// failure.
  func isNewer(than stored: Credential) -> Bool {
    [predecessor, credential].contains { stored.accessToken.isEqual(to: $0.credential.accessToken) }
  }
}

/// A refusal that the store has not taken yet.
struct PendingRefusal {
  /// The time of the refused credential's last refresh.
  let renewedAt: Timestamp
  let moment: BootTime
}
