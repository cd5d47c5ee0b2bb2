import GLibBridge

/// Proof that the lock rules allowed to read an item now. An unread item opens with nothing else, and only
/// ``LockGate`` makes one.
package struct ReadPermit: Sendable {
  /// The accessibility that was asked for.
  let accessibility: ChappieKeychainAccessibility

  fileprivate init(_ accessibility: ChappieKeychainAccessibility) {
    self.accessibility = accessibility
  }
}

/// Whether the user may be asked for something, such as the keyring's password.
package enum UserInteraction: Sendable {
  case forbidden
  case allowed
}

/// Decides whether an item may be read now.
@GLibActor
struct LockGate {
  let unknown: UnknownLockPolicy

  /// Whether the keyring may ask the user for its password now: a prompt over a locked screen helps nobody.
  func interaction(_ wanted: UserInteraction) async -> UserInteraction {
    guard wanted == .allowed else { return .forbidden }
    await LockMonitor.shared.ready()
    return LockMonitor.shared.screen == .locked ? .forbidden : .allowed
  }

  /// - Throws: ``CredentialError/locked(_:)``.
  func permit(_ accessibility: ChappieKeychainAccessibility) async throws -> ReadPermit {
    switch accessibility {
    case .afterFirstUnlockThisDeviceOnly:
      return ReadPermit(accessibility)
    case .whenUnlockedThisDeviceOnly:
      let monitor = LockMonitor.shared
      await monitor.ready()
      switch monitor.screen {
      case .unlocked: return ReadPermit(accessibility)
      case .locked: throw CredentialError.locked("The screen is locked: unlock it and try again.")
      case .unknown where unknown == .keyring: return ReadPermit(accessibility)
      case .unknown:
        throw CredentialError.locked(
          "Nothing here tells whether the screen is locked, and [Lock] Unknown=deny is set: see chappied(8).")
      }
    }
  }
}
