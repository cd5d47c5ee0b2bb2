import ChappieSDK
import GLibBridge

/// A credential store that keeps one credential in memory.
@GLibActor
final class MemoryCredentialStore: CredentialStore {
  private var credential: Credential?

  init(_ credential: Credential?) {
    self.credential = credential
  }

  func find(_ slot: SlotIdentity) -> StoredItem<Credential> {
    guard let credential else { return .none }
    // Readable while locked, so that the lock of the developer's desktop does not affect tests.
    return .unread(UnreadItem(.afterFirstUnlockThisDeviceOnly) { .secret(credential) })
  }

  func write(
    _ credential: Credential, for slot: SlotIdentity, accessibility: ChappieKeychainAccessibility,
    interaction: UserInteraction
  ) {
    self.credential = credential
  }

  func delete(_ slot: SlotIdentity, interaction: UserInteraction) {
    credential = nil
  }

  func unlock(_ slot: SlotIdentity, interaction: UserInteraction) {}

  func accounts(ofService service: String, of application: ChappieApplicationID) -> [String] { [] }
}
