// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// Derives the content of a credential slot's notification from the states of the sign-in.
struct SlotUpdates {
  enum Update: Sendable, Equatable {
    case none
    /// The credential cannot be renewed; `failure` is the reason for which the latest sign-in failed.
    case needsSignIn(failure: String?)
    case waiting(SignInStep)
    /// Somebody has signed in; `account` is the mail address of an account that the slot did not have before.
    case linked(account: String?)
    case failed(String)

    /// Whether the update is of interest only for a moment.
    var isBrief: Bool {
      switch self {
      case .linked, .failed: true
      case .none, .needsSignIn, .waiting: false
      }
    }

    /// What a click does: outside of the buttons the first one.
    ///
    /// - Parameter canCopy: whether a click can copy a code.
    func actions(canCopy: Bool) -> [DesktopNotification.Action] {
      switch self {
      case .needsSignIn: [.signIn]
      case .waiting(.showCode) where canCopy: [.openPage, .copyCode]
      case .waiting: [.openPage]
      case .none, .linked, .failed: []
      }
    }
  }

  /// Whether the notification shows the code or the page of the running sign-in. It does unless every caller that asked
  /// for the sign-in shows it itself.
  private enum SignIn {
    case none
    case starting
    case shown
    case hidden
  }

  private(set) var update = Update.none
  /// The mail address of the account before the latest sign-in.
  private var earlierAccount: String?
  private var signIn = SignIn.none

  /// Whether there is nothing to show, now and after the end of a running sign-in.
  var isIdle: Bool {
    if case .none = signIn { return update == .none }
    return false
  }

  /// - Parameter isAskedQuietly: whether all callers that now wait for a code or a page show it themselves.
  mutating func observe(_ snapshot: ChappieAuthSession.Snapshot, isAskedQuietly: Bool) {
    guard snapshot.deviceLinkState.isRunning else {
      // If a sign-in fails before it has a code or a page, its caller gets the error as the reply.
      if case .starting = signIn, isAskedQuietly { signIn = .none }
      update = update(after: signIn, snapshot)
      signIn = .none
      return
    }
    earlierAccount = snapshot.accountInfo?.email
    switch (signIn, snapshot.signInStep) {
    case (.none, _?), (.starting, _?): signIn = isAskedQuietly ? .hidden : .shown
    case (.none, nil): signIn = .starting
    case (.starting, nil), (.shown, _), (.hidden, _): break
    }
    showWaiting(snapshot)
  }

  /// Notes that a caller that shows neither code nor page has asked for a sign-in. The sign-in may be running already.
  mutating func ask(_ snapshot: ChappieAuthSession.Snapshot) {
    guard case .hidden = signIn else { return }
    signIn = .shown
    showWaiting(snapshot)
  }

  /// Shows the code or the page once there is one. The earlier update stays until then.
  private mutating func showWaiting(_ snapshot: ChappieAuthSession.Snapshot) {
    if case .shown = signIn, let step = snapshot.signInStep { update = .waiting(step) }
  }

  /// Withdraws a brief update.
  mutating func forgetBriefUpdate() {
    if update.isBrief { update = .none }
  }

  private func update(after signIn: SignIn, _ snapshot: ChappieAuthSession.Snapshot) -> Update {
    let failure = snapshot.deviceLinkState == .failed ? snapshot.lastError?.description : nil
    switch (signIn, snapshot.state) {
    case (.starting, .reauthenticationRequired), (.shown, .reauthenticationRequired):
      return .needsSignIn(failure: failure)
    case (_, .reauthenticationRequired):
      if case .needsSignIn = update { return update }
      return .needsSignIn(failure: nil)
    case (.shown, .signedIn) where snapshot.deviceLinkState == .linked:
      let account = snapshot.accountInfo?.email
      return .linked(account: account == earlierAccount ? nil : account)
    case (.shown, _):
      return failure.map { .failed($0) } ?? .none
    case (.none, .signedIn), (.none, .restoring):
      return update.isBrief ? update : .none
    case (.none, _):
      if case .failed = update { return update }
      return .none
    case (.starting, _), (.hidden, _):
      return .none
    }
  }
}

/// The name of a credential slot for people. It has no e-mail address, since notifications appear on locked screens,
/// on shared screens and in histories.
struct SlotName {
  /// The stored account; nil for the default one.
  private let account: String?
  /// The sandboxed app, access group or program whose slot it is; nil for the user's own.
  private let owner: String?

  init(_ slot: SlotIdentity) {
    let standard = ChappieConfiguration()
    account = slot.account == standard.keychainAccount ? nil : slot.account
    owner = slot.appID ?? slot.accessGroup ?? (slot.service == standard.keychainService ? nil : slot.service)
  }

  /// Whether the slot is the user's own, with the default account.
  var isDefault: Bool { account == nil && owner == nil }

  /// A phrase such as `account “work” of org.example.App`; nil for the user's own default account.
  var text: String? {
    let account = account.map { tr("account “\(Self.shown($0))”") }
    let owner = owner.map(Self.shown)
    guard let account, let owner else { return account ?? owner }
    return tr("\(account) of \(owner)")
  }

  /// The terminal command that signs in to the slot, or shows the page of a running sign-in; nil if there is none, or if it cannot be shown unchanged.
  var command: String? {
    guard owner == nil else { return nil }
    guard let account else { return "chappie sign-in" }
    guard Self.shown(account) == account else { return nil }
    return "chappie sign-in --account \(ShellText.quoted(account))"
  }

  /// Makes a name safe to show, since programs choose names.
  private static func shown(_ name: String) -> String { name.shown(limit: 64) }
}
