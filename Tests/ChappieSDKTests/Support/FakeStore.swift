// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

typealias FakeStore = FakeSlotStore<Credential>

/// A store in memory with the behaviour that a test sets: of a credential, a list of unused sign-ins, or a
/// key of threads.
@GLibActor
final class FakeSlotStore<Secret: Sendable>: SlotStore {
  /// The content of the store.
  enum Item {
    case none
    case locked
    case hidden
    case unusable(reason: String)
    case credential(Secret)
  }

  /// What a reader sees of the content.
  enum Reading {
    case open
    case failing
    case locked
    case hidden
  }

  var item: Item
  var reading = Reading.open
  /// Whether the item is the copy that a locked keyring shows.
  var isCopy = false
  /// The rule of the last write. The item has it if `heedsRule`.
  private(set) var rule: ChappieKeychainAccessibility?
  private let heedsRule: Bool
  /// The reading from the next write on; nil for the same.
  var readingAfterWrite: Reading?
  /// The error of each operation; nil for success.
  var findError: CredentialError?
  var writeError: CredentialError?
  /// Whether a failing write stores the credential nevertheless.
  var storesDespiteErrors = false
  var deleteError: CredentialError?
  var unlockError: CredentialError?
  /// The next write finishes ``writing``, then waits for this gate.
  var writeGate: Wait?
  let writing = Wait()
  private(set) var finds = 0
  private(set) var writes = 0
  private(set) var deletes = 0
  private(set) var unlocks: [UserInteraction] = []

  init(_ item: Item = .none, heedsRule: Bool = false) {
    self.item = item
    self.heedsRule = heedsRule
  }

  /// The stored credential; nil if there is none or it is unreadable.
  var credential: Secret? {
    if case .credential(let credential) = item { credential } else { nil }
  }

  func find(_ slot: SlotIdentity) async throws -> StoredItem<Secret> {
    finds += 1
    if let findError { throw findError }
    switch reading {
    case .open: break
    case .failing: throw CredentialError.keyringUnavailable("gone")
    case .locked: return .locked
    case .hidden: return .hidden
    }
    return switch item {
    case .none: .none
    case .locked: .locked
    case .hidden: .hidden
    case .unusable(let reason): unread(.unusable(reason: reason))
    case .credential(let credential): unread(.secret(credential))
    }
  }

  /// An item usually under the rule that ignores the desktop's lock, because tests must not depend on the desktop.
  private func unread(_ content: UnreadItem<Secret>.Content) -> StoredItem<Secret> {
    let rule = heedsRule ? rule : nil
    return .unread(UnreadItem(rule ?? .afterFirstUnlockThisDeviceOnly, isCopy: isCopy) { content })
  }

  func write(
    _ credential: Secret, for slot: SlotIdentity, accessibility: ChappieKeychainAccessibility,
    interaction: UserInteraction
  ) async throws {
    writes += 1
    if let readingAfterWrite { reading = readingAfterWrite }
    writing.finish()
    if let gate = writeGate {
      writeGate = nil
      await gate.value()
    }
    if let writeError {
      if storesDespiteErrors { item = .credential(credential) }
      throw writeError
    }
    try Task.checkCancellation()
    item = .credential(credential)
    rule = accessibility
  }

  func delete(_ slot: SlotIdentity, interaction: UserInteraction) async throws {
    deletes += 1
    if let deleteError { throw deleteError }
    item = .none
  }

  func unlock(_ slot: SlotIdentity, interaction: UserInteraction) async throws {
    unlocks.append(interaction)
    if let unlockError { throw unlockError }
  }
}

extension FakeStore {
  /// The stored credential's name, from
  /// ``Credential/test(_:account:expiresAt:renewedAt:canBeRenewed:servers:user:)``.
  var stored: String? { credential?.name }
}

extension FakeSlotStore<UnusedSignIns> {
  convenience init(_ credentials: [Credential]) { self.init(.credential(UnusedSignIns(credentials))) }

  /// The names of the listed credentials.
  var names: [String] { credential?.credentials.map(\.name) ?? [] }
}

extension Credential {
  /// The name that the test chose.
  var name: String { String(refreshToken?.text.dropFirst(3) ?? "") }
}
