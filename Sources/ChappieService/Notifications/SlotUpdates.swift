import ChappieSDK

/// Decides what the one notification of a credential slot says: it takes each state of the sign-in and gives the update
/// that the user should see.
struct SlotUpdates {
  enum Update: Sendable, Equatable {
    case none
    /// The credential can no longer be renewed; `failure` is why the latest try to sign in failed.
    case needsSignIn(failure: String?)
    case codeWaits(ChappieDeviceCode)
    case linked
    case failed(String)

    /// Whether it is of interest for a moment only.
    var isBrief: Bool {
      switch self {
      case .linked, .failed: true
      case .none, .needsSignIn, .codeWaits: false
      }
    }
  }

  /// Whether the notification shows the code of the sign-in that runs. It does unless every caller that asked for the
  /// sign-in shows the code itself.
  private enum SignIn {
    case none
    case starting
    case shown
    case hidden
  }

  private(set) var update = Update.none
  private var signIn = SignIn.none

  /// Whether there is nothing to show, now and when a sign-in that runs has ended.
  var isIdle: Bool {
    if case .none = signIn { return update == .none }
    return false
  }

  /// - Parameter isAskedQuietly: all callers that wait for a code at this moment show it themselves.
  mutating func observe(_ snapshot: ChappieAuthSession.Snapshot, isAskedQuietly: Bool) {
    guard snapshot.deviceLinkState.isRunning else {
      // The caller of a sign-in that failed before there was a code gets the error as its answer.
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

  /// A caller that does not show the code has asked for a sign-in, which may run already.
  mutating func ask(_ snapshot: ChappieAuthSession.Snapshot) {
    guard case .hidden = signIn else { return }
    signIn = .shown
    showCode(snapshot)
  }

  /// Until there is a code, the earlier update stays; the code then takes its place.
  private mutating func showCode(_ snapshot: ChappieAuthSession.Snapshot) {
    if case .shown = signIn, let code = snapshot.deviceCode { update = .codeWaits(code) }
  }

  /// Withdraws an update that is of interest for a moment only.
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
