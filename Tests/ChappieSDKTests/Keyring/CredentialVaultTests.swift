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
    guard
      case .secret(let credential, .afterFirstUnlockThisDeviceOnly) = try await read(
        FakeStore(.credential(.test("a"))))
    else {
      Issue.record("it does not open")
      return
    }
    #expect(credential.name == "a")
  }

  @Test func distinguishesUnreadableItems() async throws {
    #expect(try await outcome(FakeStore(.none)) == "none")
    #expect(try await outcome(FakeStore(.unusable(reason: "damaged"))) == "unusable: damaged")
    #expect(try await outcome(FakeStore(.locked)) == "locked: \(CredentialError.keyringLocked)")
    #expect(try await outcome(FakeStore(.hidden)) == "hidden: \(CredentialError.keyringLocked)")
  }

  private func outcome(_ store: FakeStore) async throws -> String {
    switch try await read(store) {
    case .none: "none"
    case .locked(let error): "locked: \(error)"
    case .hidden(let error): "hidden: \(error)"
    case .unusable(let reason): "unusable: \(reason)"
    case .secret: "credential"
    }
  }

  @Test func asksForNoPasswordWithoutPermission() async throws {
    let store = FakeStore(.locked)
    _ = try await read(store)
    #expect(store.unlocks.isEmpty)
  }

  @Test func throwsTheStoresFailure() async {
    let store = FakeStore(.none)
    store.findError = .keyringFailed("gone")
    await #expect(throws: CredentialError.keyringFailed("gone")) { try await read(store) }
  }
}
