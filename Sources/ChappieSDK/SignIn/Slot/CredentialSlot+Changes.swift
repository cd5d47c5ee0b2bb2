// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Handles changes of a slot by other processes, keyring managers and the lock.
extension CredentialSlot {
  /// Counts this process's own changes to the store. A read that overlaps with one may see half of it.
  struct OwnChanges {
    /// The number of changes begun so far.
    private(set) var count = 0
    private var underWay = 0
    private var hasMissedLook = false

    mutating func begin() {
      count += 1
      underWay += 1
    }

    /// - Returns: whether a read was dropped during the change, so the store must be read again.
    mutating func end() -> Bool {
      underWay -= 1
      guard underWay == 0, hasMissedLook else { return false }
      hasMissedLook = false
      return true
    }

    /// Whether a read that began when `count` was `before` is valid.
    mutating func allow(readSince before: Int) -> Bool {
      if underWay > 0 {
        hasMissedLook = true
        return false
      }
      return before == count
    }
  }

  /// Runs `body`, a change to the store.
  func changing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    ownChanges.begin()
    defer { if ownChanges.end() { Task.onGLib { await look() } } }
    return try await body()
  }

  /// Reads other processes' changes since the last read. A keyring that does not answer changes nothing.
  func look() async {
    let task: Task<Void, Never>
    switch looking {
    case .running(let running): task = running
    case .none:
      task = Task.onGLib {
        if state.state == .restoring { await restore() } else { await lookQuietly() }
        looking = .none
      }
      looking = .running(task)
    }
    await task.value
  }

  /// Handles another process's change to the store.
  func changedInStore() async {
    // A running read may have missed the change.
    if case .running(let task) = looking { await task.value }
    await look()
  }

  /// Nobody waits for the result, so a failed read is no error.
  private func lookQuietly() async {
    defer { MemoryHardening.wipeStack() }
    let before = ownChanges.count
    guard let finding = try? await find(.forbidden), ownChanges.allow(readSince: before) else { return }
    switch finding {
    case .secret(let credential, _): apply(found(credential))
    case .locked: apply(.foundLocked)
    case .hidden: break
    case .none: apply(.foundNone)
    case .unusable(let reason): apply(.foundUnusable(reason: reason))
    }
  }

  /// Reads again after a change of the lock or the keyring, where something is still unknown.
  func lockChanged() async {
    await storePending()
    await removeMistakenMark()
    switch state.lastError {
    case .locked, .keyringUnavailable: await restore()
    // A slot without a credential reads too: another keyring may be present now.
    default: if state.accountInfo == nil { await restore() }
    }
  }
}
