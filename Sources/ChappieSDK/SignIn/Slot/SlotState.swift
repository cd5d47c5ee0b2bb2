// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The state of one credential slot, as a state machine: it takes events and gives the values for users.
package struct SlotState: Sendable, Equatable {
  /// The known facts about the stored credential.
  enum Stored: Sendable, Equatable {
    case unknown
    case none
    /// A usable credential. Nil while a locked or silent keyring hides the account.
    case present(ChappieAccountInfo?)
    /// A credential that cannot be refreshed any more, kept for its identity. Only a credential newer than `renewedAt`
    /// replaces this state.
    case spent(ChappieAccountInfo?, renewedAt: Timestamp)
  }

  /// What the stored credential allows.
  struct Holding: Sendable, Equatable {
    let method: ChappieSignInMethod
    /// The rule under which it is stored.
    let accessibility: ChappieKeychainAccessibility
    let planUse: ChappiePlanUse
    /// The page on which the user sees and limits the plan's usage.
    let manageUsageURL: String?
    let needsBackgroundConsent: Bool
  }

  enum Event: Sendable {
    /// What a credential allows that was found, made or refreshed.
    case holds(Holding)
    /// The backend's latest word about the use of the plan.
    case planUse(ChappiePlanUse)
    case found(ChappieAccountInfo, renewedAt: Timestamp)
    /// A credential that the server has refused for this reason, in this process or another one.
    case foundRefused(ChappieAccountInfo, CredentialError, renewedAt: Timestamp)
    /// A credential in a locked keyring.
    case foundLocked
    case foundNone
    case foundUnusable(reason: String)
    /// The store does not answer. It held a credential at its last answer.
    case recalled
    /// The store did not answer. The known facts stay.
    case storeFailed(CredentialError)
    case signInProgress(SignInProgress)
    case signInFailed(CredentialError)
    case signedIn(ChappieAccountInfo)
    case refreshed(ChappieAccountInfo)
    case refreshRefused(CredentialError, renewedAt: Timestamp)
    case refreshFailed(CredentialError)
    case signedOut
    /// The signed-out credential could not be revoked.
    case revocationFailed(CredentialError)
  }

  private(set) var stored = Stored.unknown
  package private(set) var deviceLinkState = ChappieDeviceLinkState.idle
  /// What the running sign-in asks of the user, or has asked.
  package private(set) var signInStep: SignInStep?
  /// Whether the running sign-in, or the last one, has shown a page in the browser.
  private(set) var hasShownPage = false
  /// Nil while no readable credential was seen.
  private(set) var holding: Holding?
  /// The backend's latest word about the use of the plan. Nil since the last sign-in.
  private var toldPlanUse: ChappiePlanUse?
  package private(set) var lastError: CredentialError?

  package var state: ChappieAuthState {
    if deviceLinkState.isRunning { return .signingIn }
    switch stored {
    case .unknown: return .restoring
    case .none: return .signedOut
    case .present: return .signedIn
    case .spent: return .reauthenticationRequired
    }
  }

  /// Whether the stored credential cannot be refreshed any more. Stays true while a new sign-in runs.
  var isSpent: Bool { if case .spent = stored { true } else { false } }

  package var planUse: ChappiePlanUse {
    guard let holding, stored != .none else { return .unknown }
    return holding.planUse == .enabled ? toldPlanUse ?? .enabled : holding.planUse
  }

  package var accountInfo: ChappieAccountInfo? {
    switch stored {
    case .unknown, .none: nil
    case .present(let account), .spent(let account, _): account
    }
  }

  mutating func apply(_ event: Event) {
    switch event {
    case .holds(let holding):
      if self.holding != holding { toldPlanUse = nil }
      self.holding = holding
    case .planUse(let use): toldPlanUse = use
    case .found(let account, let renewedAt):
      if case .spent(_, let spentAt) = stored, renewedAt <= spentAt { return }
      stored = .present(account)
      forgetStoreError()
    case .foundRefused(let account, let error, let renewedAt):
      let isKnown = isSpent
      stored = .spent(account, renewedAt: renewedAt)
      forgetStoreError()
      if !isKnown, !deviceLinkState.isRunning { lastError = error }
    case .foundLocked: if stored == .unknown || stored == .none { stored = .present(nil) }
    case .foundNone:
      stored = .none
      holding = nil
      // Another process has signed out.
      if deviceLinkState == .linked { deviceLinkState = .idle }
      forgetStoreError()
    case .foundUnusable(let reason):
      stored = .none
      holding = nil
      lastError = .unusable(reason)
    case .recalled: if stored == .unknown { stored = .present(nil) }
    case .storeFailed(let error), .refreshFailed(let error): lastError = error
    case .signInProgress(let progress): advance(progress)
    case .signInFailed(let error): endSignIn(error)
    case .signedIn(let account):
      stored = .present(account)
      deviceLinkState = .linked
      signInStep = nil
      toldPlanUse = nil
      lastError = nil
    case .refreshed(let account):
      stored = .present(account)
      lastError = nil
    case .refreshRefused(let error, let renewedAt):
      stored = .spent(accountInfo, renewedAt: renewedAt)
      lastError = error
    case .signedOut:
      stored = .none
      holding = nil
      lastError = nil
      if !deviceLinkState.isRunning { deviceLinkState = .idle }
    case .revocationFailed(let error):
      // The error is irrelevant after a new sign-in, or during one.
      if case .none = stored, !deviceLinkState.isRunning { lastError = error }
    }
  }

  /// Clears a store error after a good answer. A server's error stays.
  private mutating func forgetStoreError() {
    switch lastError {
    case .locked, .keyringUnavailable, .unusable: lastError = nil
    case .missing, .reauthenticationRequired, .signIn, nil: break
    }
  }

  private mutating func advance(_ progress: SignInProgress) {
    switch progress {
    case .preparing:
      deviceLinkState = .requestingCode
      signInStep = nil
      hasShownPage = false
      lastError = nil
    case .waiting(let step):
      signInStep = step
      hasShownPage = step.browserPage != nil
      deviceLinkState = step.deviceCode == nil ? .waitingForBrowser : .waitingForApproval
    case .exchanging: deviceLinkState = .exchanging
    case .verifying: deviceLinkState = .verifying
    }
  }

  private mutating func endSignIn(_ error: CredentialError) {
    signInStep = nil
    deviceLinkState =
      switch error {
      case .signIn(.declined): .declined
      case .signIn(.expired): .expired
      case .signIn(.cancelled): .cancelled
      default: .failed
      }
    lastError = deviceLinkState == .cancelled ? nil : error
  }
}

extension SlotState.Event: LogValue {
  /// The reason for a change of state, for the log.
  package var logText: String {
    switch self {
    case .holds, .planUse: "its rights are known"
    case .found: "the keyring holds a credential"
    case .foundRefused: "the keyring holds a credential that the server has refused"
    case .foundLocked: "the keyring holds a credential, and is locked"
    case .foundNone: "the keyring holds no credential"
    case .foundUnusable(let reason): "the credential in the keyring cannot be used (\(reason.withoutFullStop))"
    case .recalled: "the keyring does not answer, and held a credential before"
    case .storeFailed(let error): "the keyring failed (\(error.logText))"
    case .signInProgress: "a sign-in has begun"
    case .signInFailed(let error): "the sign-in has failed (\(error.logText))"
    case .signedIn: "the sign-in has succeeded"
    case .refreshed: "it was renewed"
    case .refreshRefused(let error, _), .refreshFailed(let error), .revocationFailed(let error): error.logText
    case .signedOut: "signed out here"
    }
  }
}
