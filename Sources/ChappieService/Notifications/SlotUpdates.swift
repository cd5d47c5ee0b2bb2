import ChappieSDK

/// Derives the content of a credential slot's notification from the states of the sign-in.
struct SlotUpdates {
  enum Update: Sendable, Equatable {
    case none
    /// The credential cannot be renewed; `failure` is the reason for which the latest sign-in failed.
    case needsSignIn(failure: String?)
    case codeWaits(ChappieDeviceCode)
    case linked
    case failed(String)

    /// Whether the update is of interest only for a moment.
    var isBrief: Bool {
      switch self {
      case .linked, .failed: true
      case .none, .needsSignIn, .codeWaits: false
      }
    }
  }

  /// Whether the notification shows the code of the running sign-in. It does unless every caller that asked for the
  /// sign-in shows the code itself.
  private enum SignIn {
    case none
    case starting
    case shown
    case hidden
  }

  private(set) var update = Update.none
  private var signIn = SignIn.none

  /// Whether there is nothing to show, now and after the end of a running sign-in.
  var isIdle: Bool {
    if case .none = signIn { return update == .none }
    return false
  }

  /// - Parameter isAskedQuietly: whether all callers that now wait for a code show it themselves.
  mutating func observe(_ snapshot: ChappieAuthSession.Snapshot, isAskedQuietly: Bool) {
    guard snapshot.deviceLinkState.isRunning else {
      // If a sign-in fails before it has a code, its caller gets the error as the reply.
      if case .starting = signIn, isAskedQuietly { signIn = .none }
      update = update(after: signIn, snapshot)
      signIn = .none
      return
    }
    switch (signIn, snapshot.deviceCode) {
    case (.none, _?), (.starting, _?): signIn = isAskedQuietly ? .hidden : .shown
    case (.none, nil): signIn = .starting
    case (.starting, nil), (.shown, _), (.hidden, _): break
    }
    showCode(snapshot)
  }

  /// Notes that a caller that does not show the code has asked for a sign-in. The sign-in may be running already.
  mutating func ask(_ snapshot: ChappieAuthSession.Snapshot) {
    guard case .hidden = signIn else { return }
    signIn = .shown
    showCode(snapshot)
  }

  /// Shows the code once there is one. The earlier update stays until then.
  private mutating func showCode(_ snapshot: ChappieAuthSession.Snapshot) {
    if case .shown = signIn, let code = snapshot.deviceCode { update = .codeWaits(code) }
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
      return .linked
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
