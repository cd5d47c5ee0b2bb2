import GLibBridge
import SecretMemory

/// Credentials in the desktop keyring, one item a slot, sealed for this device.
@GLibActor
final class SecretServiceStore: CredentialStore {
  static let schema = "org.chappie.Credential"
  private static let version = "1"

  private let client: SecretServiceClient
  private let seal: DeviceSeal

  init(client: SecretServiceClient, seal: DeviceSeal) {
    self.client = client
    self.seal = seal
  }

  func find(_ slot: SlotIdentity) async throws -> StoredItem {
    let found = try await client.search(schema: Self.schema, Self.attributes(of: slot))
    var best = found.isEmpty ? StoredItem.none : .locked
    for item in found where !item.isLocked {
      best = Self.better(best, read(try await client.secret(of: item), of: slot))
    }
    return best
  }

  /// A crash while an item was replaced can leave two: the credential that was renewed last counts.
  private static func better(_ left: StoredItem, _ right: StoredItem) -> StoredItem {
    guard case .credential(let old) = left else { return right }
    guard case .credential(let new) = right, new.renewedAt >= old.renewedAt else { return left }
    return right
  }

  func write(
    _ credential: Credential, for slot: SlotIdentity, accessibility: ChappieKeychainAccessibility,
    interaction: SecretServiceClient.Interaction
  ) async throws {
    let line = try seal.seal(try CredentialCoding.encode(credential), context: Self.context(of: slot))
    var attributes = Self.attributes(of: slot)
    // Replacing goes by all attributes, so an item with another accessibility or device would stay beside it.
    let stale = try await client.search(schema: Self.schema, attributes)
    attributes[Key.accessibility] = accessibility.rawValue
    attributes[Key.device] = seal.deviceName
    attributes[Key.version] = Self.version
    let item = SecretServiceClient.Item(schema: Self.schema, attributes: attributes, label: Self.label(of: slot))
    try await client.store(line, as: item, interaction: interaction)
    try await verify(line, attributes)
    for old in stale where Self.differs(old.attributes, attributes) {
      try await client.delete(old, interaction: interaction)
    }
  }

  func delete(_ slot: SlotIdentity, interaction: SecretServiceClient.Interaction) async throws {
    for item in try await client.search(schema: Self.schema, Self.attributes(of: slot)) {
      guard !item.isLocked else { throw SecretStoreError.locked }
      try await client.delete(item, interaction: interaction)
    }
  }

  func unlock(interaction: SecretServiceClient.Interaction) async throws {
    try await client.unlockDefaultCollection(interaction: interaction)
  }

  func accounts(ofService service: String) async throws -> [String] {
    let attributes = [Key.service: service, Key.accessGroup: "", Key.appID: ""]
    let found = try await client.search(schema: Self.schema, attributes)
    return Set(found.filter { !$0.isLocked }.compactMap { $0.attributes[Key.account] }).sorted()
  }

  /// A keyring may say yes and keep nothing: what was stored is read back.
  private func verify(_ line: SecretBytes, _ attributes: [String: String]) async throws {
    for item in try await client.search(schema: Self.schema, attributes) where !item.isLocked {
      if try await client.secret(of: item).isEqual(to: line) { return }
    }
    throw SecretStoreError.unavailable("the keyring did not keep what was stored in it")
  }

  private func read(_ line: SecretBytes, of slot: SlotIdentity) -> StoredItem {
    switch seal.open(line, context: Self.context(of: slot)) {
    case .secret(let secret):
      CredentialCoding.decode(secret).map { .credential($0) }
        ?? .unusable(reason: "The stored sign-in is damaged: sign in again.")
    case .otherDevice:
      .unusable(reason: "The stored sign-in was made on another device and works only there: sign in again.")
    case .damaged:
      .unusable(reason: "The stored sign-in is damaged: sign in again.")
    }
  }

  private enum Key {
    static let service = "service"
    static let account = "account"
    static let accessGroup = "access-group"
    static let appID = "app-id"
    static let accessibility = "accessibility"
    static let device = "device"
    static let version = "version"
  }

  /// What a slot is found by. An empty value stands for none: a search matches only what it names.
  private static func attributes(of slot: SlotIdentity) -> [String: String] {
    [
      Key.service: slot.service, Key.account: slot.account, Key.accessGroup: slot.accessGroup ?? "",
      Key.appID: slot.appID ?? "",
    ]
  }

  private static func differs(_ old: [String: String], _ new: [String: String]) -> Bool {
    new.contains { old[$0.key] != $0.value }
  }

  /// Binds the sealed credential to its slot, so that it cannot be moved to another one.
  private static func context(of slot: SlotIdentity) -> [UInt8] {
    [slot.service, slot.account, slot.accessGroup ?? "", slot.appID ?? ""].flatMap { Array($0.utf8) + [0] }
  }

  private static func label(of slot: SlotIdentity) -> String {
    "ChatGPT sign-in (\(slot.appID ?? slot.service), \(slot.account))"
  }
}
