import GLibBridge
import Platform
import SecretMemory

/// Renewed tokens that the store did not take yet. The server has already forgotten their predecessors.
struct UnstoredCredential {
  let credential: PutAwayCredential
  let predecessor: PutAwayCredential
  let accessibility: ChappieKeychainAccessibility
  /// Keeps the slot until the store has taken them: they must outlive whoever needed them.
  let slot: CredentialSlot

  /// Whether `stored` is what these tokens replace. It may be they themselves, where the store took them and did not
  /// say so.
  func isNewer(than stored: Credential) -> Bool {
    [predecessor, credential].contains { stored.accessToken.isEqual(to: $0.credential.accessToken) }
  }
}

/// A refusal that the store did not take: of the credential that was renewed then, and when.
struct UnstoredRefusal {
  let renewedAt: Int64
  let moment: BootTime
}
