import ChappieSDK
import GLibBridge

/// Keeps one credential for as long as the process lives.
@GLibActor
final class MemoryCredentialStore: CredentialStore {
  private var item: StoredItem

  init(_ credential: Credential?) {
    item = credential.map { .credential($0) } ?? .none
  }

  func find(_ slot: SlotIdentity) -> StoredItem { item }

  func write(
    _ credential: Credential, for slot: SlotIdentity, accessibility: ChappieKeychainAccessibility,
    interaction: SecretServiceClient.Interaction
  ) {
    item = .credential(credential)
  }

  func delete(_ slot: SlotIdentity, interaction: SecretServiceClient.Interaction) {
    item = .none
  }

  func unlock(interaction: SecretServiceClient.Interaction) {}

  func accounts(ofService service: String) -> [String] { [] }
}
