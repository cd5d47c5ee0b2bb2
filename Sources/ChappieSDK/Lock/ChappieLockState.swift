import GLibBridge

/// Whether the desktop is locked, of all that is known.
public enum ChappieLockState: String, Sendable, Hashable, CaseIterable {
  /// The keyring is unlocked, and what knows of the screen says that it is not locked.
  case unlocked
  /// The screen or the keyring is locked, or the machine goes to sleep.
  case locked
  /// The keyring is locked and was not unlocked since login.
  case beforeFirstUnlock = "before-first-unlock"
  /// Nothing here knows of the screen: no policy of this desktop can be seen.
  case unknown

  /// Whether something that is known is locked.
  package var isLocked: Bool {
    switch self {
    case .locked, .beforeFirstUnlock: true
    case .unlocked, .unknown: false
    }
  }
}

extension ChappieLockState: LogValue {}
