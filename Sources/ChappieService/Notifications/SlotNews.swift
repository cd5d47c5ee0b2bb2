import ChappieSDK

/// What the one notification of a credential slot tells, as a machine: the states of its sign-in in, news out.
struct SlotNews {
  enum News: Sendable, Equatable {
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

  /// The sign-in that runs. One is told of unless everybody who asked for it shows the code itself.
  private enum SignIn {
    case none
    case starting
    case told(ChappieDeviceCode)
    case untold(ChappieDeviceCode)
  }

  private(set) var news = News.none
  private var signIn = SignIn.none

  /// Whether nothing is to be told, now and when what runs comes to its end.
  var isIdle: Bool {
    if case .none = signIn { return news == .none }
    return false
  }

  /// - Parameter isAskedQuietly: all callers that wait for a code at this moment show it themselves.
  mutating func observe(_ snapshot: ChappieAuthSession.Snapshot, isAskedQuietly: Bool) {
    guard snapshot.deviceLinkState.isRunning else {
      // The caller of one that failed before there was a code is told by the error that it is answered with.
      if case .starting = signIn, isAskedQuietly { signIn = .none }
      news = news(after: signIn, snapshot)
      signIn = .none
      return
    }
    switch (signIn, snapshot.deviceCode) {
    case (.none, let code?), (.starting, let code?): signIn = isAskedQuietly ? .untold(code) : .told(code)
    case (.none, nil): signIn = .starting
    case (.starting, nil), (.told, _), (.untold, _): break
    }
    // Until there is a code, what was told stays: the code then takes its place.
    if case .told(let code) = signIn { news = .codeWaits(code) }
  }

  /// Somebody who does not show the code asked for a sign-in, which may run already.
  mutating func ask() {
    guard case .untold(let code) = signIn else { return }
    signIn = .told(code)
    news = .codeWaits(code)
  }

  /// The moment is over in which brief news are of interest.
  mutating func forgetBriefNews() {
    if news.isBrief { news = .none }
  }

  private func news(after signIn: SignIn, _ snapshot: ChappieAuthSession.Snapshot) -> News {
    let failure = snapshot.deviceLinkState == .failed ? snapshot.lastError?.description : nil
    switch (signIn, snapshot.state) {
    case (.starting, .reauthenticationRequired), (.told, .reauthenticationRequired):
      return .needsSignIn(failure: failure)
    case (_, .reauthenticationRequired):
      if case .needsSignIn = news { return news }
      return .needsSignIn(failure: nil)
    case (.told, .signedIn) where snapshot.deviceLinkState == .linked:
      return .linked
    case (.told, _):
      return failure.map { .failed($0) } ?? .none
    case (.none, .signedIn), (.none, .restoring):
      return news.isBrief ? news : .none
    case (.none, _):
      if case .failed = news { return news }
      return .none
    case (.starting, _), (.untold, _):
      return .none
    }
  }
}
