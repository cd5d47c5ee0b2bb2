// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

/// The results of reading a slot, under the rule that ignores the desktop's lock.
@GLibActor
struct CredentialVaultTests {
  private static let slot = SlotIdentity(ChappieConfiguration(keychainService: "org.example.tests"))

  private func read(_ store: FakeStore) async throws -> SlotFinding<Credential> {
    try await SlotVault(store: store, gate: LockGate(unknown: .deny)).read(Self.slot, interaction: .forbidden)
  }

  @Test func readsTheStoredCredential() async throws {
    let finding = try await read(FakeStore(.credential(.test("a"))))
    guard case .secret(let credential, .afterFirstUnlockThisDeviceOnly) = finding else {
      Issue.record("it does not open")
      return
    }
    #expect(credential.name == "a")
  }

  @Test func distinguishesUnreadableItems() async throws {
    let items: [(FakeStore.Item, String)] = [
      (.none, "none"), (.unusable(reason: "damaged"), "unusable: damaged"),
      (.locked, "locked: \(CredentialError.keyringLocked)"), (.hidden, "hidden: \(CredentialError.keyringLocked)"),
    ]
    for (item, expected) in items {
      let store = FakeStore(item)
      let finding = try await read(store)
      let outcome =
        switch finding {
        case .none: "none"
        case .locked(let error): "locked: \(error)"
        case .hidden(let error): "hidden: \(error)"
        case .unusable(let reason): "unusable: \(reason)"
        case .secret: "credential"
        }
      #expect(outcome == expected)
      #expect(store.unlocks.isEmpty, "without permission, no password is asked for")
      store.findError = .keyringFailed("gone")
      await #expect(throws: CredentialError.keyringFailed("gone")) { try await read(store) }
    }
  }
}
