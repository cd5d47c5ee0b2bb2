// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// Stores secrets of one kind, one for each slot.
@GLibActor
package protocol SlotStore<Secret>: Sendable {
  associatedtype Secret: Sendable

  /// Finds the item of `slot` without reading its secret.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func find(_ slot: SlotIdentity) async throws -> StoredItem<Secret>

  /// Stores `secret` and reads it back.
  ///
  /// - Throws: ``CredentialError``, ``ChappieAuthError`` when the secret cannot be encoded, `CancellationError`.
  func write(
    _ secret: Secret, for slot: SlotIdentity, accessibility: ChappieKeychainAccessibility,
    interaction: UserInteraction
  ) async throws

  /// Deletes the secret of `slot`. An empty slot is a success.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func delete(_ slot: SlotIdentity, interaction: UserInteraction) async throws

  /// Verifies that a secret of `slot` could be read and written now.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func unlock(_ slot: SlotIdentity, interaction: UserInteraction) async throws

  /// Does what ``unlock(_:interaction:)`` does, and with interaction creates what the store lacks for its first secret.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func prepare(_ slot: SlotIdentity, interaction: UserInteraction) async throws

  /// The note of the secret that the store held for `slot` at its last successful read. Nil if there was none.
  func note(of slot: SlotIdentity) -> String?
}

extension SlotStore {
  /// Most stores lack nothing, and answer always, so they need not remember.
  package func prepare(_ slot: SlotIdentity, interaction: UserInteraction) async throws {
    try await unlock(slot, interaction: interaction)
  }

  package func note(of slot: SlotIdentity) -> String? { nil }
}

/// The result of a search for a slot's item.
package enum StoredItem<Secret: Sendable> {
  case none
  /// The item exists in a locked keyring.
  case locked
  /// The keyring is locked and does not reveal whether the item exists.
  case hidden
  /// The item exists and the keyring can return it. The lock rules decide whether it may be read.
  case unread(UnreadItem<Secret>)
}

/// An item that was found and not read yet. Opening it takes a ``ReadPermit``.
package struct UnreadItem<Secret: Sendable>: Sendable {
  /// The content of an opened item.
  package enum Content: Sendable {
    case secret(Secret)
    /// The content cannot be used here.
    case unusable(reason: String)
  }

  /// The item's accessibility rule.
  package let accessibility: ChappieKeychainAccessibility
  /// Whether the item is only the copy that a locked keyring still returns.
  let isCopy: Bool
  private let read: @GLibActor @Sendable () async throws -> Content

  /// - Parameter read: reads the item. Called at each opening.
  package init(
    _ accessibility: ChappieKeychainAccessibility, isCopy: Bool = false,
    read: @escaping @GLibActor @Sendable () async throws -> Content
  ) {
    self.accessibility = accessibility
    self.isCopy = isCopy
    self.read = read
  }

  /// - Throws: ``CredentialError``, `CancellationError`.
  @GLibActor
  func open(_ permit: ReadPermit) async throws -> Content {
    precondition(permit.accessibility == accessibility, "a permit for another accessibility")
    return try await read()
  }
}

/// A kind of secret that the desktop keyring stores for slots, as items of one schema.
package protocol KeyringSecret: Sendable {
  /// The libsecret schema of its items.
  static var schema: String { get }
  /// The messages for a secret from another device and for a damaged one, each with advice.
  static var reasons: (otherDevice: String, damaged: String) { get }

  /// What the item is, for its label.
  static var title: String { get }

  /// The text about the secret in a note on the disk, in clear. It contains no secret.
  var note: String { get }

  /// Returns nil for bytes that ``encode()`` did not make.
  static func decode(_ bytes: SecretBytes) -> Self?
  func encode() throws -> SecretBytes

  /// Whether this secret takes precedence over `other`, when a crash has left both in the keyring.
  func counts(before other: Self) -> Bool
}

extension KeyringSecret {
  package var note: String { "" }

  /// The item's label in a keyring editor.
  static func label(of slot: SlotIdentity) -> String { "\(title) (\(slot.ownerName), \(slot.account))" }
}

/// The result of reading a slot.
enum SlotFinding<Secret: Sendable> {
  case none
  /// The secret exists and may not or cannot be read now.
  case locked(CredentialError)
  /// The keyring is locked and does not reveal whether the secret exists.
  case hidden(CredentialError)
  case unusable(reason: String)
  case secret(Secret, ChappieKeychainAccessibility)

  var secret: Secret? {
    if case .secret(let secret, _) = self { secret } else { nil }
  }
}

/// The store behind the lock rules: the only way to a stored secret.
@GLibActor
struct SlotVault<Secret: Sendable> {
  let store: any SlotStore<Secret>
  let gate: LockGate

  /// Reads a slot under its item's accessibility rule.
  ///
  /// - Parameters:
  ///   - rule: an additional rule of the reader. It applies where the item's rule is weaker.
  ///   - interaction: whether a locked keyring may prompt for its password.
  /// - Throws: ``CredentialError``, `CancellationError`.
  func read(
    _ slot: SlotIdentity, under rule: ChappieKeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
    interaction: UserInteraction
  ) async throws -> SlotFinding<Secret> {
    let finding = try await read(slot, under: rule)
    switch finding {
    case .locked, .hidden:
      guard await gate.interaction(interaction) == .allowed else { return finding }
      try await store.unlock(slot, interaction: .allowed)
      return try await read(slot, under: rule)
    case .none, .unusable, .secret: return finding
    }
  }

  private func read(
    _ slot: SlotIdentity, under rule: ChappieKeychainAccessibility
  ) async throws -> SlotFinding<Secret> {
    let item: UnreadItem<Secret>
    switch try await store.find(slot) {
    case .none: return .none
    case .locked: return .locked(.keyringLocked)
    case .hidden: return .hidden(.keyringLocked)
    case .unread(let found) where found.isCopy && rule == .whenUnlockedThisDeviceOnly:
      return .locked(.keyringLocked)
    case .unread(let found): item = found
    }
    do {
      _ = try await gate.permit(rule)
      switch try await item.open(try await gate.permit(item.accessibility)) {
      case .secret(let secret): return .secret(secret, item.accessibility)
      case .unusable(let reason): return .unusable(reason: reason)
      }
    } catch CredentialError.locked(let message) {
      // The lock rules forbid the read, or the keyring was locked between the search and the read.
      return .locked(.locked(message))
    }
  }
}
