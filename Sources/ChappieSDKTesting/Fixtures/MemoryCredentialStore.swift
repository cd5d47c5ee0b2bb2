import ChappieSDK
import GLibBridge

/// Keeps one credential for as long as the process lives.
@GLibActor
final class MemoryCredentialStore: CredentialStore {
  private var credential: Credential?

  init(_ credential: Credential?) {
    self.credential = credential
  }

  func find(_ slot: SlotIdentity) -> StoredItem<Credential> {
    guard let credential else { return .none }
    // No lock of the desktop that the tests run on shall decide how they end.
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
