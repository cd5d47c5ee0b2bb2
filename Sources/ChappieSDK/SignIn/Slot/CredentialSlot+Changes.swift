import GLibBridge
import Platform

/// What other processes, keyring managers and the lock do to a slot.
extension CredentialSlot {
  /// What this process itself changes in the store: a read that overlaps with one may have seen half of it.
  struct OwnChanges {
    /// How many have begun.
    private(set) var count = 0
    private var underWay = 0
    private var hasMissedLook = false

    mutating func begin() {
      count += 1
      underWay += 1
    }

    /// - Returns: whether the store must be read again, because a read was dropped meanwhile.
    mutating func end() -> Bool {
      underWay -= 1
      guard underWay == 0, hasMissedLook else { return false }
      hasMissedLook = false
      return true
    }

    /// Whether what was read since `count` was `before` counts.
    mutating func allow(readSince before: Int) -> Bool {
      if underWay > 0 {
        hasMissedLook = true
        return false
      }
      return before == count
    }
  }

  /// Runs `body`, which changes what is stored.
  func changing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    ownChanges.begin()
    defer { if ownChanges.end() { Task.onGLib { await look() } } }
    return try await body()
  }

  /// Reads what others have done to the slot since it was last read. A keyring that does not answer changes nothing.
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

  /// Somebody has changed what is stored.
  func changedInStore() async {
    // A look that is under way may have been too early.
    if case .running(let task) = looking { await task.value }
    await look()
  }

  /// Nobody waits for the result, so what cannot be read now is no failure.
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

  /// Reads again when the lock or the keyring has changed, where not everything is known.
  func lockChanged() async {
    await storePending()
    switch state.lastError {
    case .locked, .keyringUnavailable: await restore()
    // Also where there was no credential: another keyring may be there now.
    default: if state.accountInfo == nil { await restore() }
    }
  }
}
