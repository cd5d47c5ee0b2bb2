import GLibBridge

/// Proof that the lock rules allow the read of an item now. An unread item opens only with a permit, and only
/// ``LockGate`` makes one.
package struct ReadPermit: Sendable {
  /// The accessibility rule of the request.
  let accessibility: ChappieKeychainAccessibility

  fileprivate init(_ accessibility: ChappieKeychainAccessibility) {
    self.accessibility = accessibility
  }
}

/// Whether a prompt may be shown to the user, such as for the keyring's password.
package enum UserInteraction: Sendable {
  case forbidden
  case allowed
}

/// Decides whether an item may be read now.
@GLibActor
struct LockGate {
  let unknown: UnknownLockPolicy

  /// Whether the keyring may prompt for its password now. A prompt over a locked screen helps nobody.
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
