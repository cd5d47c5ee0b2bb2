import GLibBridge

/// The lock state of the desktop, from all known sources.
public enum ChappieLockState: String, Sendable, Hashable, CaseIterable {
  /// The keyring is unlocked, and a source reports the screen as not locked.
  case unlocked
  /// The screen or the keyring is locked, or the machine is going to sleep.
  case locked
  /// The keyring is locked and has not been unlocked since login.
  case beforeFirstUnlock = "before-first-unlock"
  /// No source reports the state of the screen, so no lock policy of this desktop is known.
  case unknown

  /// Whether any known source reports a lock.
  package var isLocked: Bool {
    switch self {
    case .locked, .beforeFirstUnlock: true
    case .unlocked, .unknown: false
    }
  }
}

extension ChappieLockState: LogValue {}
