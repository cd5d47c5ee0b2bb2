// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

@GLibActor
struct SlotRegistryTests {
  private static func configuration(_ change: (inout ChappieConfiguration) -> Void = { _ in }) -> ChappieConfiguration {
    var configuration = ChappieConfiguration(keychainService: "org.example.SlotRegistryTests")
    change(&configuration)
    // The registry's own store is the real keyring, and a test must not use it.
    SlotRegistry.seed(SlotIdentity(configuration), with: FakeStore())
    return configuration
  }

  @Test func anotherIdentityGivesAnotherSlot() throws {
    let slot = SlotRegistry.slot(for: Self.configuration())
    #expect(SlotRegistry.slot(for: Self.configuration()) === slot)
    #expect(SlotRegistry.slot(for: Self.configuration { $0.model = "other" }) === slot)
    #expect(SlotRegistry.slot(for: Self.configuration { $0.keychainAccount = "other" }) !== slot)
    #expect(SlotRegistry.slot(for: Self.configuration { $0.applicationID = .sandboxed("org.example.App") }) !== slot)
    // A token for one server must never go to another.
    let backend = try ChappieBackend(issuer: "http://127.0.0.1:1", baseURL: "http://127.0.0.1:2")
    let other = SlotRegistry.slot(for: Self.configuration { $0.backend = backend })
    #expect(other !== slot)
    #expect(other.methods[.deviceCode]?.backend.responsesURL == "http://127.0.0.1:2/codex/responses")
  }

  /// An unused slot is released, with what all of its clients share.
  @Test func slotOwnsItsUsageAndModels() {
    var slot: CredentialSlot? = SlotRegistry.slot(for: Self.configuration { $0.keychainAccount = "usage" })
    weak let released = slot
    weak let usage = slot?.usage
    weak let models = slot?.modelCache
    #expect(usage != nil && usage === slot?.usage)
    #expect(models != nil && models === slot?.modelCache)
    slot = nil
    #expect(released == nil && usage == nil && models == nil)
  }
}
