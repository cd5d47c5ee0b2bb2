import GLibBridge

/// Where secrets of one kind are kept, one a slot.
@GLibActor
package protocol SlotStore<Secret>: Sendable {
  associatedtype Secret: Sendable

  /// What the store holds for `slot`, without reading it.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func find(_ slot: SlotIdentity) async throws -> StoredItem<Secret>

  /// Stores `secret` and reads it back.
  ///
  /// - Throws: ``CredentialError``, ``ChappieAuthError`` where it cannot be encoded, `CancellationError`.
  func write(
    _ secret: Secret, for slot: SlotIdentity, accessibility: ChappieKeychainAccessibility,
    interaction: UserInteraction
  ) async throws

  /// Deletes what the store holds for `slot`. Nothing to delete is success.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func delete(_ slot: SlotIdentity, interaction: UserInteraction) async throws

  /// Makes sure that a secret of `slot` could be read and written now.
  ///
  /// - Throws: ``CredentialError``, `CancellationError`.
  func unlock(_ slot: SlotIdentity, interaction: UserInteraction) async throws
}

/// What a store holds for a slot.
package enum StoredItem<Secret: Sendable> {
  case none
  /// There is an item, and the keyring does not give it while it is locked.
  case locked
  /// The keyring is locked and does not even tell whether there is an item.
  case hidden
  /// There is an item that the keyring would give; the lock rules decide whether it is read.
  case unread(UnreadItem<Secret>)
}

/// An item that the store has found and not read yet. It takes a ``ReadPermit`` to open it.
package struct UnreadItem<Secret: Sendable>: Sendable {
  /// What an opened item turned out to be.
  package enum Content: Sendable {
    case secret(Secret)
    /// It is of no use here.
    case unusable(reason: String)
  }

  /// The rule that the item was stored under.
  package let accessibility: ChappieKeychainAccessibility
  /// Whether the keyring is locked, and gives no more than the copy that may be read then.
  let isCopy: Bool
  private let read: @GLibActor @Sendable () async throws -> Content

  /// - Parameter read: reads the item; called for each opening.
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
