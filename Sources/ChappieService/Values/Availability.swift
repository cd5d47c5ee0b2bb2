// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// What a user can do now with a sign-in, and the sentence for it: the property `Availability`.
struct Availability: Equatable {
  enum Action: String {
    case none
    case signIn = "sign-in"
    case allowPlanUse = "allow-plan-use"
    case manageUsage = "manage-usage"
    case unlock
    case createKeyring = "create-keyring"
    case wait
  }

  let action: Action
  /// The error of a question that is asked now. Nil when it can be answered.
  let reason: ErrorName?
  /// In the language of this process. Empty when there is nothing to tell.
  let message: String

  /// - Parameter lockSources: as ``LockMonitor/sources``.
  init(_ session: ChappieAuthSession.Snapshot, _ lock: ChappieLockState, _ lockSources: [String]) {
    let isReadable = session.usableRule == .afterFirstUnlockThisDeviceOnly && lock != .beforeFirstUnlock
    (action, reason) =
      switch (session.lastError, session.state) {
      case _ where lock.isLocked: (lockSources.contains("keyring") ? .unlock : .wait, isReadable ? nil : .locked)
      case (.locked?, _): (.wait, .locked)
      case (.keyringUnavailable?, let state): (state == .signedIn ? .none : .createKeyring, .keyringUnavailable)
      case (_, .signedOut), (_, .restoring): (.signIn, .missingCredential)
      case (_, .signingIn): (.signIn, session.usableRule == nil ? .missingCredential : nil)
      case (_, .reauthenticationRequired): (.signIn, .reauthenticationRequired)
      case (_, .signedIn):
        switch session.planUse {
        case .enabled, .unavailable, .unknown: (.none, nil)
        case .notGranted: (.allowPlanUse, .planUseNotGranted)
        case .notEligible: (.manageUsage, .planUseNotEligible)
        case .limitReached: (.manageUsage, .usageLimitReached)
        }
      }
    let error = session.lastError.map { Translation.of($0.description) } ?? ""
    message =
      switch (action, reason) {
      case (.none, nil): ""
      case (.unlock, _): tr("Your sign-in and your conversations are in the keyring: unlock it with its password.")
      case (.wait, _) where lock.isLocked:
        tr("Your sign-in and your conversations can be used again once the screen is unlocked.")
      case (.wait, _), (.none, _): error
      case (.createKeyring, _):
        tr(
          """
          \(error) Chappie keeps your sign-in in the keyring alone, which is GNOME Keyring, KWallet, or KeePassXC with \
          the Secret Service turned on.
          """)
      case (.signIn, _): session.signInMessage(error)
      case (.allowPlanUse, _): tr("This sign-in does not allow the use of your ChatGPT plan.")
      case (.manageUsage, .planUseNotEligible?): tr("ChatGPT does not let this account use its plan here.")
      case (.manageUsage, _): tr("The limit of your ChatGPT plan is reached.")
      }
  }

  var dictionary: VariantDictionary {
    ["can_ask": reason == nil, "reason": reason?.rawValue ?? "", "message": message, "action": action.rawValue]
  }
}

extension ChappieAuthSession.Snapshot {
  /// - Parameter error: the latest one, for a person.
  fileprivate func signInMessage(_ error: String) -> String {
    switch deviceLinkState {
    case .waitingForApproval: tr("Enter this code on the page")
    case .waitingForBrowser: tr("Waiting for your browser…")
    case .requestingCode, .exchanging, .verifying: tr("Signing in…")
    case .declined where !error.isEmpty, .expired where !error.isEmpty, .failed where !error.isEmpty: error
    default:
      state == .reauthenticationRequired
        ? tr("The server no longer accepts your sign-in. Your conversations are kept.")
        : tr(
          """
          Your browser opens a page of ChatGPT, where you connect Chappie. Then the programs of your desktop can ask, on \
          your own plan.
          """)
    }
  }

  /// The property `SignInStep`.
  ///
  /// - Parameter isShown: whether the reader sees the address of a page that belongs to this sign-in alone.
  func busSignInStep(isShown: Bool) -> VariantDictionary {
    switch (deviceLinkState, signInStep) {
    case (.waitingForApproval, .showCode(let code)?):
      [
        "kind": "show-code", "uri": code.verificationURI.address, "code": code.userCode,
        "expires_at": code.expiresAt.unixSeconds,
      ]
    case (.waitingForBrowser, .openPage(let page, let isElsewhere)?):
      [
        "kind": isElsewhere ? "paste-address" : "open-page", "uri": isShown ? page.authorizationURI.address : nil,
        "expires_at": page.expiresAt.unixSeconds,
      ]
    default: deviceLinkState.isRunning ? ["kind": "wait"] : [:]
    }
  }
}
