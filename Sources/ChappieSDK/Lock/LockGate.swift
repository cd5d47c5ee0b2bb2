// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Proof that the lock rules allow the read of an item now. An unread item opens only with a permit, and only
/// ``LockGate`` makes one.
package struct ReadPermit: Sendable {
  /// The accessibility rule of the request.
  let accessibility: ChappieKeychainAccessibility

  fileprivate init(_ accessibility: ChappieKeychainAccessibility) {
    self.accessibility = accessibility
  }
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
    if accessibility == .whenUnlockedThisDeviceOnly {
      await LockMonitor.shared.ready()
      if let refusal { throw refusal }
    }
    return ReadPermit(accessibility)
  }

  /// Whether a secret that was read may stay in memory: it could be read again now.
  func mayKeep(_ accessibility: ChappieKeychainAccessibility) -> Bool {
    switch accessibility {
    case .afterFirstUnlockThisDeviceOnly: true
    case .whenUnlockedThisDeviceOnly: refusal == nil && LockMonitor.shared.isKeyringUnlocked
    }
  }

  /// Why the stricter rule allows no read now; nil if it does.
  private var refusal: CredentialError? {
    switch LockMonitor.shared.screen {
    case .unlocked: nil
    case .locked: .locked(en("The screen is locked: unlock it and try again."))
    case .silent where unknown == .keyring: nil
    case .silent:
      .locked(en("Nothing here tells whether the screen is locked, and [Lock] Unknown=deny is set: see chappied(8)."))
    }
  }
}

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
