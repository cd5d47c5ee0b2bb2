import GLibBridge
import SecretMemory

/// Secrets in the desktop keyring, one item a slot, sealed for this device.
///
/// A secret that may be read after the first unlock has a copy in the keyring's `session` collection, which is
/// never locked and lives in the memory of the keyring's daemon until logout; where a keyring has no such
/// collection, in guarded memory here, and for as long as that keyring runs.
@GLibActor
final class SecretServiceStore<Secret: KeyringSecret>: SlotStore {
  private static var version: String { "2" }

  let client: SecretServiceClient
  private let seals: DeviceSeals
  /// Remembers which slots have a secret; nil where nobody asks.
  let notes: SlotNotes?
  /// Tells what others change; nil where nobody asks.
  let watch: KeyringWatch?
  private var memoryCopies: [SlotIdentity: MemoryCopy] = [:]

  private struct MemoryCopy {
    let line: SecretBytes
    /// The keyring that was unlocked when the copy was made.
    let keyring: String?
  }

  init(client: SecretServiceClient, seals: DeviceSeals, notes: SlotNotes? = nil, watch: KeyringWatch? = nil) {
    self.client = client
    self.seals = seals
    self.notes = notes
    self.watch = watch
  }

  // MARK: Reading

  func find(_ slot: SlotIdentity) async throws -> StoredItem<Secret> {
    try await converting { try await item(of: slot) }
  }

  private func item(of slot: SlotIdentity) async throws -> StoredItem<Secret> {
    // First: what happens after it is found must not be missed.
    await watch?.start()
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
    if found.allSatisfy(Self.isCopy), try await hasLostItsOriginal(slot) {
      for copy in found { try await client.delete(copy, interaction: .forbidden) }
      notes?.set(slot, nil)
      return .none
    }
    return .unread(
      UnreadItem(Self.strictest(readable), isCopy: readable.allSatisfy(Self.isCopy)) { [self] in
        try await converting { try await read(readable, of: slot) }
      })
  }

  /// Whether somebody has deleted the secret with another program and left the copy.
  private func hasLostItsOriginal(_ slot: SlotIdentity) async throws -> Bool {
    guard (try? await client.defaultCollectionState()) == .unlocked else { return false }
    return try await search(slot).allSatisfy(Self.isCopy)
  }

  /// Some keyrings call a collection locked until they are asked to unlock it, and then need no password.
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

  /// What is known of a slot of which the keyring gives no item.
  private func withoutKeyring(
    _ slot: SlotIdentity, _ found: [SecretServiceClient.Found], _ collection: SecretServiceClient.CollectionState
  ) -> StoredItem<Secret> {
    guard collection == .locked || !found.isEmpty else {
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

  /// A crash while an item was replaced can leave two: the secret says which one counts. A copy counts
  /// where its original is locked: a crash may have left it behind.
  private func read(_ items: [SecretServiceClient.Found], of slot: SlotIdentity) async throws
    -> UnreadItem<Secret>.Content
  {
    let originals = items.filter { !Self.isCopy($0) }
    var best: UnreadItem<Secret>.Content?
    var newest: SecretBytes?
    for item in originals.isEmpty ? items : originals {
      guard let line = try await client.secret(of: item) else { continue }
      let content = try await content(line, of: slot)
      if Self.isBetter(content, than: best) { (best, newest) = (content, line) }
    }
    if let newest, !originals.isEmpty {
      await mend(items.filter(Self.isCopy), of: slot, from: newest, Self.strictest(items))
    }
    guard let best else { throw SecretStoreError.unavailable("what it keeps was replaced while it was read") }
    if case .secret(let secret) = best { notes?.set(slot, secret.note) } else { notes?.set(slot, nil) }
    return best
  }

  /// Makes the copy be what the original is, and where there should be none, none.
  private func mend(
    _ copies: [SecretServiceClient.Found], of slot: SlotIdentity, from line: SecretBytes,
    _ accessibility: ChappieKeychainAccessibility
  ) async {
    switch accessibility {
    case .whenUnlockedThisDeviceOnly:
      for copy in copies { try? await client.delete(copy, interaction: .forbidden) }
    case .afterFirstUnlockThisDeviceOnly:
      if let copy = copies.first, let kept = try? await client.secret(of: copy), kept.isEqual(to: line) { return }
      await keepCopy(line, of: slot)
      await dropCopyWithoutOriginal(of: slot)
    }
  }

  /// Somebody may have signed out while the copy was made.
  private func dropCopyWithoutOriginal(of slot: SlotIdentity) async {
    guard let found = try? await search(slot), found.allSatisfy(Self.isCopy) else { return }
    memoryCopies[slot] = nil
    for copy in found { try? await client.delete(copy, interaction: .forbidden) }
  }

  private static func isBetter(_ new: UnreadItem<Secret>.Content, than old: UnreadItem<Secret>.Content?) -> Bool {
    guard case .secret(let old) = old else { return true }
    guard case .secret(let new) = new else { return false }
    return new.counts(before: old)
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
      // The new item first: until it is stored, only this process has what it holds.
      try await client.store(line, as: item, in: .default, interaction: interaction.ofClient)
      try await verify(line, item.attributes)
      notes?.set(slot, secret.note)
      for old in try await search(slot) where !old.isLocked && Self.differs(old.attributes, item.attributes) {
        try await client.delete(old, interaction: interaction.ofClient)
      }
      memoryCopies[slot] = nil
      if accessibility == .afterFirstUnlockThisDeviceOnly { await keepCopy(line, of: slot) }
    }
  }

  func delete(_ slot: SlotIdentity, interaction: UserInteraction) async throws {
    try await converting { try await deleteAll(of: slot, interaction.ofClient) }
  }

  private func deleteAll(of slot: SlotIdentity, _ interaction: SecretServiceClient.Interaction) async throws {
    // More than once: somebody who reads may be about to renew the copy.
    for _ in 0..<3 {
      let found = try await search(slot)
      guard found.allSatisfy({ !$0.isLocked }) else { throw SecretStoreError.locked }
      memoryCopies[slot] = nil
      guard !found.isEmpty else {
        notes?.set(slot, nil)
        return
      }
      // The copies first: one that a crash left alone would be taken for the whole.
      for item in found.filter(Self.isCopy) { try await client.delete(item, interaction: interaction) }
      for item in found where !Self.isCopy(item) { try await client.delete(item, interaction: interaction) }
    }
    throw SecretStoreError.unavailable("the keyring did not delete what it was told to")
  }

  func unlock(_ slot: SlotIdentity, interaction: UserInteraction) async throws {
    try await converting {
      // What cannot be sealed cannot be stored.
      _ = try await seals.sealing()
      try await client.unlockDefaultCollection(interaction: interaction.ofClient)
      await unlock(try await search(slot), interaction: interaction.ofClient)
    }
  }

  /// Runs `body`, and throws what the keyring's client failed with as a ``CredentialError``.
  func converting<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as SecretStoreError {
      throw CredentialError(error)
    }
  }

  /// Unlocks what is locked one by one. An item that stays locked is seen as such by whoever looks next.
  private func unlock(_ found: [SecretServiceClient.Found], interaction: SecretServiceClient.Interaction) async {
    for item in found where item.isLocked { try? await client.unlock(item, interaction: interaction) }
  }

  /// A keyring may say yes and keep nothing: what was stored is read back.
  private func verify(_ line: SecretBytes, _ attributes: [String: String]) async throws {
    for item in try await client.search(schema: Secret.schema, attributes) where !item.isLocked {
      if let kept = try await client.secret(of: item), kept.isEqual(to: line) { return }
    }
    throw SecretStoreError.unavailable("the keyring did not keep what was stored in it")
  }

  /// Keeps what may be read while the keyring is locked. It is a convenience: its loss is no failure.
  private func keepCopy(_ line: SecretBytes, of slot: SlotIdentity) async {
    if let copy = memoryCopy(of: slot), copy.isEqual(to: line) { return }
    let device = DeviceSeal.SealedLine(line)?.deviceName ?? ""
    var copy = item(slot, .afterFirstUnlockThisDeviceOnly, device: device)
    copy.attributes[SlotAttribute.copy] = "session"
    do {
      try await client.store(line, as: copy, in: .session, interaction: .forbidden)
    } catch {
      memoryCopies[slot] = MemoryCopy(line: line, keyring: client.keyring)
    }
  }

  /// What is kept in memory of the keyring that runs now.
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
    attributes[SlotAttribute.version] = Self.version
    return SecretServiceClient.Item(schema: Secret.schema, attributes: attributes, label: Secret.label(of: slot))
  }

  /// The strictest rule of all items of a slot. What does not tell its rule has the strict one.
  private static func strictest(_ items: [SecretServiceClient.Found]) -> ChappieKeychainAccessibility {
    items.allSatisfy {
      $0.attributes[SlotAttribute.accessibility] == ChappieKeychainAccessibility.afterFirstUnlockThisDeviceOnly.rawValue
    } ? .afterFirstUnlockThisDeviceOnly : .whenUnlockedThisDeviceOnly
  }

  private static func isCopy(_ item: SecretServiceClient.Found) -> Bool {
    item.attributes[SlotAttribute.copy] != nil
  }

  /// Whether `old` is another item than the one with `new`: a copy, or one with another rule or device.
  private static func differs(_ old: [String: String], _ new: [String: String]) -> Bool {
    old[SlotAttribute.copy] != nil || new.contains { old[$0.key] != $0.value }
  }

  /// Binds the sealed secret to its slot, so that it cannot be moved to another one.
  private static func context(of slot: SlotIdentity) -> [UInt8] {
    [slot.service, slot.account, slot.accessGroup ?? "", slot.appID ?? ""].flatMap { Array($0.utf8) + [0] }
  }
}

extension UserInteraction {
  fileprivate var ofClient: SecretServiceClient.Interaction {
    switch self {
    case .forbidden: .forbidden
    case .allowed: .allowed
    }
  }
}

extension SlotIdentity {
  /// What a slot is found by. An empty value stands for none: a search matches only what it names.
  fileprivate var attributes: [String: String] {
    [
      SlotAttribute.service: service, SlotAttribute.account: account, SlotAttribute.accessGroup: accessGroup ?? "",
      SlotAttribute.appID: appID ?? "",
    ]
  }

  /// Whether an item with these attributes is one of this slot.
  func owns(_ item: [String: String]) -> Bool { attributes.allSatisfy { item[$0.key] == $0.value } }
}

/// What items of slots are found by.
enum SlotAttribute {
  static let service = "service"
  static let account = "account"
  static let accessGroup = "access-group"
  static let appID = "app-id"
  static let accessibility = "accessibility"
  static let device = "device"
  static let version = "version"
  static let copy = "copy"
}
