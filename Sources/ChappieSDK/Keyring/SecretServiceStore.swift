// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// Stores secrets in the desktop keyring: one item for each slot, sealed for this device.
///
/// A secret readable after the first unlock has a copy in the keyring's `session` collection. That collection is never
/// locked and lives in the memory of the keyring's daemon until logout. If the keyring has no such collection, the copy
/// is in this process's guarded memory for as long as the same keyring runs.
@GLibActor
final class SecretServiceStore<Secret: KeyringSecret>: SlotStore {
  private let client = DesktopKeyring.client
  private let seals = DesktopKeyring.seals
  /// Remembers the slots with a secret. Nil when nothing needs it.
  private let notes: SlotNotes?
  /// Reports other programs' changes. Nil when nothing needs it.
  private let watch: KeyringWatch?
  /// Copies, and the keyring that was unlocked at the time of each.
  private var memoryCopies: [SlotIdentity: (line: SecretBytes, keyring: String)] = [:]
  /// Searches that have not asked the keyring yet. At the start of a process several readers come while the connection
  /// to the keyring is being made.
  private var coming: [SlotIdentity: Task<StoredItem<Secret>, any Error>] = [:]

  init(notes: SlotNotes? = nil, watch: KeyringWatch? = nil) {
    self.notes = notes
    self.watch = watch
  }

  // MARK: Reading

  func note(of slot: SlotIdentity) -> String? { notes?.note(of: slot) }

  func find(_ slot: SlotIdentity) async throws -> StoredItem<Secret> {
    if let begun = coming[slot] {
      try await begun.untilEnded()
      // A failure may be older than this call: the keyring may have come back since.
      if let item = try? await begun.value { return item }
    }
    let task = coming[slot] ?? Task.onGLib { try await converting { try await item(of: slot) } }
    coming[slot] = task
    try await task.untilEnded()
    return try await task.value
  }

  private func item(of slot: SlotIdentity) async throws -> StoredItem<Secret> {
    do {
      // The watch starts first, so no change after the search is missed.
      await watch?.start()
      defer { coming[slot] = nil }
      try await client.connect()
    }
    var found: [SecretServiceClient.Found]
    do {
      found = try await search(slot)
    } catch SecretStoreError.locked {
      guard try await unlockedQuietly() == .unlocked else { return withoutKeyring(slot, [], .locked) }
      found = try await search(slot)
    }
    if !found.contains(where: { !$0.isLocked }) {
      let collection = try await unlockedQuietly()
      if collection == .unlocked {
        await unlock(found, interaction: .forbidden)
        found = try await search(slot)
      }
      guard found.contains(where: { !$0.isLocked }) else { return withoutKeyring(slot, found, collection) }
    }
    let readable = found.filter { !$0.isLocked }
    // Another program may have deleted the secret and left the copy.
    if found.allSatisfy(Self.isCopy), (try? await client.defaultCollectionState()) == .unlocked,
      try await search(slot).allSatisfy(Self.isCopy)
    {
      for copy in found { try await client.delete(copy, interaction: .forbidden) }
      notes?.set(slot, nil)
      return .none
    }
    // All who have shared the search share the reading.
    let reading = SharedWork { [self] in try await converting { try await read(readable, of: slot) } }
    return .unread(
      UnreadItem(Self.strictest(readable), isCopy: readable.allSatisfy(Self.isCopy)) { try await reading.value() })
  }

  /// Some keyrings report a collection as locked until an unlock request, and then need no password.
  private func unlockedQuietly() async throws -> SecretServiceClient.CollectionState {
    let state = try await client.defaultCollectionState()
    guard state == .locked else { return state }
    do {
      try await client.unlockDefaultCollection(interaction: .forbidden)
      return .unlocked
    } catch SecretStoreError.locked {
      return .locked
    }
  }

  /// The result for a slot when the keyring returns no readable item.
  private func withoutKeyring(
    _ slot: SlotIdentity, _ found: [SecretServiceClient.Found], _ collection: SecretServiceClient.CollectionState
  ) -> StoredItem<Secret> {
    guard collection == .locked || !found.isEmpty else {
      memoryCopies[slot] = nil
      notes?.set(slot, nil)
      return .none
    }
    if let copy = memoryCopy(of: slot) {
      return .unread(
        UnreadItem(.afterFirstUnlockThisDeviceOnly, isCopy: true) { [self] in
          try await converting { try await content(copy, of: slot) }
        })
    }
    return found.isEmpty ? .hidden : .locked
  }

  private func search(_ slot: SlotIdentity) async throws -> [SecretServiceClient.Found] {
    let found = try await client.search(schema: Secret.schema, slot.attributes)
    watch?.note(found)
    return found
  }

  /// A crash during a replacement can leave two items, and the secret decides their precedence. A copy counts only
  /// while its original is locked, because a crash may have left it behind.
  private func read(_ items: [SecretServiceClient.Found], of slot: SlotIdentity) async throws
    -> UnreadItem<Secret>.Content
  {
    let originals = items.filter { !Self.isCopy($0) }
    var best: (content: UnreadItem<Secret>.Content, line: SecretBytes, keyring: String?)?
    for item in originals.isEmpty ? items : originals {
      guard let (line, keyring) = try await client.secret(of: item) else { continue }
      let content = try await content(line, of: slot)
      if case .secret(let old)? = best?.content {
        guard case .secret(let new) = content, new.counts(before: old) else { continue }
      }
      best = (content, line, keyring)
    }
    guard let best else { throw SecretStoreError.unavailable("what it keeps was replaced while it was read") }
    if !originals.isEmpty {
      await mend(items.filter(Self.isCopy), of: slot, from: best.line, best.keyring, Self.strictest(items))
    }
    if case .secret(let secret) = best.content { notes?.set(slot, secret.note) } else { notes?.set(slot, nil) }
    return best.content
  }

  /// Makes the copy equal to the original, or deletes it if the rule allows none.
  private func mend(
    _ copies: [SecretServiceClient.Found], of slot: SlotIdentity, from line: SecretBytes, _ keyring: String?,
    _ accessibility: ChappieKeychainAccessibility
  ) async {
    switch accessibility {
    case .whenUnlockedThisDeviceOnly:
      for copy in copies { try? await client.delete(copy, interaction: .forbidden) }
    case .afterFirstUnlockThisDeviceOnly:
      if let copy = copies.first, let kept = try? await client.secret(of: copy), kept.line.isEqual(to: line) { return }
      await keepCopy(line, of: slot, in: keyring)
      // Another process may have signed out while the copy was made.
      guard let found = try? await search(slot), found.allSatisfy(Self.isCopy) else { return }
      memoryCopies[slot] = nil
      for copy in found { try? await client.delete(copy, interaction: .forbidden) }
    }
  }

  private func content(_ line: SecretBytes, of slot: SlotIdentity) async throws -> UnreadItem<Secret>.Content {
    switch try await seals.open(line, context: Self.context(of: slot)) {
    case .secret(let bytes):
      Secret.decode(bytes).map { .secret($0) } ?? .unusable(reason: Secret.reasons.damaged)
    case .otherDevice: .unusable(reason: Secret.reasons.otherDevice)
    case .damaged: .unusable(reason: Secret.reasons.damaged)
    }
  }

  // MARK: Writing

  func write(
    _ secret: Secret, for slot: SlotIdentity, accessibility: ChappieKeychainAccessibility, interaction: UserInteraction
  ) async throws {
    try await converting {
      let seal = try await seals.sealing()
      let line = seal.seal(try secret.encode(), context: Self.context(of: slot))
      let item = item(slot, accessibility, device: seal.deviceName)
      // The new item comes first: until it is stored, only this process has its secret.
      try await client.store(line, as: item, in: .default, interaction: interaction)
      let keyring = try await verify(line, item.attributes)
      notes?.set(slot, secret.note)
      for old in try await search(slot) where !old.isLocked && Self.differs(old.attributes, item.attributes) {
        try await client.delete(old, interaction: interaction)
      }
      memoryCopies[slot] = nil
      if accessibility == .afterFirstUnlockThisDeviceOnly { await keepCopy(line, of: slot, in: keyring) }
    }
  }

  func delete(_ slot: SlotIdentity, interaction: UserInteraction) async throws {
    try await converting {
      var hasDeletedOriginal = false
      // The loop repeats the deletion, because another reader may be renewing the copy.
      for _ in 0..<3 {
        let wasHidden = try await mayHideItems()
        let found = try await search(slot)
        guard found.allSatisfy({ !$0.isLocked }) else { throw SecretStoreError.locked }
        if !hasDeletedOriginal, found.allSatisfy(Self.isCopy) {
          let isHidden = try await mayHideItems()
          guard !wasHidden, !isHidden else { throw SecretStoreError.locked }
        }
        memoryCopies[slot] = nil
        guard !found.isEmpty else {
          notes?.set(slot, nil)
          return
        }
        // Copies go first: after a crash, a copy alone would count as the secret.
        for item in found.filter(Self.isCopy) { try await client.delete(item, interaction: interaction) }
        for item in found where !Self.isCopy(item) {
          try await client.delete(item, interaction: interaction)
          hasDeletedOriginal = true
        }
      }
      throw SecretStoreError.unavailable("the keyring did not delete what it was told to")
    }
  }

  /// Whether a search may miss items: some keyrings show none of a locked collection, for example after a restart.
  private func mayHideItems() async throws -> Bool {
    do {
      return try await unlockedQuietly() == .locked
    } catch SecretStoreError.noDefaultCollection {
      return false
    }
  }

  /// The slots that have an item, of every application. A locked keyring may hide items, so it is unlocked first.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func slots(interaction: UserInteraction) async throws -> [SlotIdentity] {
    try await converting {
      do {
        if try await client.defaultCollectionState() == .locked {
          try await client.unlockDefaultCollection(interaction: interaction)
        }
      } catch SecretStoreError.noDefaultCollection {}
      let found = try await client.search(schema: Secret.schema, [:])
      return Set(found.compactMap { SlotIdentity(attributes: $0.attributes) }).sorted { $0.account < $1.account }
    }
  }

  /// The accounts of `service` that belong to `application` and to no access group.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func accounts(ofService service: String, of application: ChappieApplicationID) async throws -> [String] {
    let attributes = [
      SlotAttribute.service: service, SlotAttribute.accessGroup: "",
      SlotAttribute.appID: application.attribute ?? "",
    ]
    await watch?.start()
    let found = try await converting { try await client.search(schema: Secret.schema, attributes) }
    return Set(found.filter { !$0.isLocked }.compactMap { $0.attributes[SlotAttribute.account] }).sorted()
  }

  func unlock(_ slot: SlotIdentity, interaction: UserInteraction) async throws {
    try await converting {
      // A secret that cannot be sealed cannot be stored.
      _ = try await seals.sealing()
      try await client.unlockDefaultCollection(interaction: interaction)
      await unlock(try await search(slot), interaction: interaction)
    }
  }

  func prepare(_ slot: SlotIdentity, interaction: UserInteraction) async throws {
    let isNew = try await converting { try await client.makeDefaultCollection(interaction: interaction) }
    // The keyring may announce a new collection before it is the default one.
    if isNew { LockMonitor.shared.lookAtKeyring() }
    try await unlock(slot, interaction: interaction)
  }

  /// Runs `body` and converts an error of the keyring's client into a ``CredentialError``.
  private func converting<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as SecretStoreError {
      throw CredentialError(error)
    }
  }

  /// Unlocks locked items one by one. The next search reports an item that stays locked.
  private func unlock(_ found: [SecretServiceClient.Found], interaction: UserInteraction) async {
    for item in found where item.isLocked { try? await client.unlock(item, interaction: interaction) }
  }

  /// Reads a stored secret back, because a keyring may report success and store nothing.
  ///
  /// - Returns: the keyring that has it.
  private func verify(_ line: SecretBytes, _ attributes: [String: String]) async throws -> String? {
    for item in try await client.search(schema: Secret.schema, attributes) where !item.isLocked {
      if let kept = try await client.secret(of: item), kept.line.isEqual(to: line) { return kept.keyring }
    }
    throw SecretStoreError.unavailable("the keyring did not keep the stored credential")
  }

  /// Stores a copy for reads while the keyring is locked. The copy is a convenience, so its loss is no error.
  ///
  /// - Parameter keyring: the keyring that was unlocked. One that has taken its place may not have been, so it gets no
  ///   copy.
  private func keepCopy(_ line: SecretBytes, of slot: SlotIdentity, in keyring: String?) async {
    if let copy = memoryCopy(of: slot), copy.isEqual(to: line) { return }
    guard let keyring else { return }
    let device = DeviceSeal.SealedLine(line)?.deviceName ?? ""
    var copy = item(slot, .afterFirstUnlockThisDeviceOnly, device: device)
    copy.attributes[SlotAttribute.copy] = "session"
    do {
      try await client.store(line, as: copy, in: .session(keyring: keyring), interaction: .forbidden)
    } catch {
      memoryCopies[slot] = (line, keyring)
    }
  }

  /// The copy in memory, if it belongs to the keyring that runs now.
  private func memoryCopy(of slot: SlotIdentity) -> SecretBytes? {
    guard let copy = memoryCopies[slot] else { return nil }
    if copy.keyring != client.keyring { memoryCopies[slot] = nil }
    return memoryCopies[slot]?.line
  }

  // MARK: Attributes

  private func item(
    _ slot: SlotIdentity, _ accessibility: ChappieKeychainAccessibility, device: String
  ) -> SecretServiceClient.Item {
    var attributes = slot.attributes
    attributes[SlotAttribute.accessibility] = accessibility.rawValue
    attributes[SlotAttribute.device] = device
    attributes[SlotAttribute.version] = "2"
    return SecretServiceClient.Item(schema: Secret.schema, attributes: attributes, label: Secret.label(of: slot))
  }

  /// The strictest rule of all items of a slot. An item without a rule counts as strict.
  private static func strictest(_ items: [SecretServiceClient.Found]) -> ChappieKeychainAccessibility {
    items.allSatisfy {
      $0.attributes[SlotAttribute.accessibility] == ChappieKeychainAccessibility.afterFirstUnlockThisDeviceOnly.rawValue
    } ? .afterFirstUnlockThisDeviceOnly : .whenUnlockedThisDeviceOnly
  }

  private static func isCopy(_ item: SecretServiceClient.Found) -> Bool {
    item.attributes[SlotAttribute.copy] != nil
  }

  /// Whether `old` differs from the item with `new`: it is a copy, or has another rule or device.
  private static func differs(_ old: [String: String], _ new: [String: String]) -> Bool {
    old[SlotAttribute.copy] != nil || new.contains { old[$0.key] != $0.value }
  }

  /// Binds the sealed secret to its slot, so that it cannot be moved to another one.
  private static func context(of slot: SlotIdentity) -> [UInt8] {
    [slot.service, slot.account, slot.accessGroup ?? "", slot.appID ?? ""].flatMap { Array($0.utf8) + [0] }
  }
}
