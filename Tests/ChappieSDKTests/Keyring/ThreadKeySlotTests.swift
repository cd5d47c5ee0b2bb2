// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The key of a slot's threads, under the rule that ignores the desktop's lock.
@GLibActor
struct ThreadKeySlotTests {
  private let store = FakeSlotStore<ThreadKey>(heedsRule: true)
  private static let identity = SlotIdentity(ChappieConfiguration(keychainService: "org.example.thread-keys"))

  private func slot(_ rule: ChappieKeychainAccessibility = .afterFirstUnlockThisDeviceOnly) -> ThreadKeySlot {
    ThreadKeySlot(Self.identity, rule, store, LockGate(unknown: .keyring))
  }

  @Test func keyIsCreatedOnceUntilDestroyed() async throws {
    let first = slot()
    let key = try await first.key()
    #expect(key.count == AEAD.keyLength)
    #expect(try await first.key().isEqual(to: key))
    #expect(try await slot().key().isEqual(to: key))
    #expect(store.writes == 1)
    try await first.destroy()
    #expect(try await !first.key().isEqual(to: key))
    #expect(store.writes == 2)
  }

  /// Two programs begin at the same moment: the later one takes the stored key.
  @Test func concurrentSlotsGetOneKey() async throws {
    let slots = (0..<8).map { _ in slot() }
    let tasks = slots.map { slot in Task.onGLib { try await slot.key() } }
    var keys: [SecretBytes] = []
    for task in tasks { keys.append(try await task.value) }
    #expect(store.writes == 1)
    #expect(keys.allSatisfy { $0.isEqual(to: keys[0]) })
  }

  /// Otherwise a store would continue with a deleted key.
  @Test func destroyedKeyIsRemovedFromMemory() async throws {
    let configuration = ChappieConfiguration(keychainService: "org.example.destroyed")
    let other = ThreadKeyRegistry.slot(
      SlotIdentity(threadsOf: configuration), .afterFirstUnlockThisDeviceOnly, configuration.unknownLockPolicy)
    other.keep(AEAD.randomKey())
    #expect(other.isKept)
    let slot = ThreadKeySlot(
      SlotIdentity(threadsOf: configuration), .whenUnlockedThisDeviceOnly, store, LockGate(unknown: .keyring))
    try await slot.destroy()
    #expect(!other.isKept)
  }

  @Test func lockedKeyringNeitherCreatesNorDestroysAKey() async throws {
    let key = try await slot().key()
    for reading in [FakeSlotStore<ThreadKey>.Reading.locked, .hidden] {
      store.reading = reading
      await #expect(throws: CredentialError.keyringLocked) { try await slot().destroy() }
      await #expect(throws: CredentialError.keyringLocked) { try await slot().key() }
    }
    store.reading = .open
    store.isCopy = true
    await #expect(throws: CredentialError.keyringLocked) { try await slot().destroy() }
    #expect(store.writes == 1)
    #expect(store.credential?.bytes.isEqual(to: key) == true)
  }

  @Test func unusableItemIsKeptUntilDestroyedAndAFailureIsThrown() async throws {
    store.item = .unusable(reason: "from elsewhere")
    await #expect(throws: CredentialError.unusable("from elsewhere")) { try await slot().key() }
    #expect(store.writes == 0)
    try await slot().destroy()
    #expect(store.deletes == 1)
    store.findError = .keyringFailed("gone")
    await #expect(throws: CredentialError.keyringFailed("gone")) { try await slot().key() }
    await #expect(throws: CredentialError.self) { try await slot().destroy() }
  }

  @Test func weakerRuleIsAdoptedAndStays() async throws {
    let key = try await slot(.whenUnlockedThisDeviceOnly).key()
    #expect(store.rule == .whenUnlockedThisDeviceOnly)
    for rule in [ChappieKeychainAccessibility.afterFirstUnlockThisDeviceOnly, .whenUnlockedThisDeviceOnly] {
      #expect(try await slot(rule).key().isEqual(to: key))
      #expect(store.rule == .afterFirstUnlockThisDeviceOnly)
    }
    #expect(store.writes == 2)
  }

  /// A locked keyring returns only the copy, and only the weaker rule may read it.
  @Test func stricterRuleDoesNotReadTheCopy() async throws {
    let key = ThreadKey(bytes: AEAD.randomKey())
    store.item = .credential(key)
    store.isCopy = true
    await #expect(throws: CredentialError.keyringLocked) { try await slot(.whenUnlockedThisDeviceOnly).key() }
    #expect(try await slot(.afterFirstUnlockThisDeviceOnly).key().isEqual(to: key.bytes))
    #expect(store.writes == 0)
  }

  /// The destroyer of a key holds the lock: a change of the key's rule waits and does not restore the key.
  @Test(.timeLimit(.minutes(10))) func ruleChangeDoesNotRestoreADestroyedKey() async throws {
    _ = try await slot(.whenUnlockedThisDeviceOnly).key()
    var lock: FileLock? = try await SlotFileLock.take(Self.identity, for: .threadKey)
    let finds = store.finds
    let reading = Task.onGLib { [slot = slot()] in _ = try await slot.key() }
    while store.finds == finds { try await sleep(for: .milliseconds(5)) }
    try await store.delete(Self.identity, interaction: .forbidden)
    withExtendedLifetime(lock) {}
    lock = nil
    try await reading.value
    #expect(store.credential == nil)
    #expect(store.writes == 1)
  }

  @Test func codingRoundTrips() throws {
    let key = ThreadKey(bytes: AEAD.randomKey())
    #expect(ThreadKey.decode(key.encode())?.bytes.isEqual(to: key.bytes) == true)
    #expect(ThreadKey.decode(SecretBytes(Array("a sign-in".utf8))) == nil)
  }

  /// Without permission, no password is asked for.
  @Test func readingUnlocksNothing() async throws {
    for item in [FakeStore.Item.locked, .hidden] {
      let store = FakeStore(item)
      let vault = SlotVault<Credential>(store: store, gate: LockGate(unknown: .deny))
      _ = try await vault.read(Self.identity, interaction: .forbidden)
      #expect(store.unlocks.isEmpty)
    }
  }
}
