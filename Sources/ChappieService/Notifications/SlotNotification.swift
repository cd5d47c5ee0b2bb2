import ChappieSDK
import GLibBridge

/// The one notification of a credential slot, from the news to what the server shows.
@GLibActor
final class SlotNotification {
  /// What has become of the news.
  private enum Presented {
    case nothing
    case shown(UInt32, SlotNews.News)
    /// Expired or dismissed: it comes back with other news only.
    case closed(SlotNews.News)

    var news: SlotNews.News? {
      switch self {
      case .nothing: nil
      case .shown(_, let news), .closed(let news): news
      }
    }

    var id: UInt32 {
      if case .shown(let id, _) = self { return id }
      return 0
    }
  }

  /// What brings the news to the server, one call at a time.
  private enum Presenter {
    case idle
    case busy
    /// Something has changed since the call began.
    case due
  }

  /// A server that closes a notification because of a click does it within this time.
  private static let closingTime = Duration.seconds(1)

  /// Opens a page; the token lets the browser come to the front.
  typealias OpenPage = @GLibActor (_ address: String, _ activationToken: String?) async -> Void

  let slot: SlotIdentity
  private let session: ChappieAuthSession
  private let name: SlotName
  private let server: NotificationServer
  private let openPage: OpenPage
  /// Called when ``isIdle`` may have changed.
  private let idleChanged: @GLibActor (SlotNotification) -> Void
  private var observation: Observation?
  private var news = SlotNews()
  private var quietAsks = 0
  private var otherAsks = 0
  private var briefTime: Timer?
  private var presented = Presented.nothing
  private var presenter = Presenter.idle
  private var pageOpened: ContinuousClock.Instant?

  init(
    _ session: ChappieAuthSession, _ server: NotificationServer, openPage: @escaping OpenPage,
    idleChanged: @escaping @GLibActor (SlotNotification) -> Void
  ) {
    slot = SlotIdentity(session.configuration)
    name = SlotName(slot)
    self.session = session
    self.server = server
    self.openPage = openPage
    self.idleChanged = idleChanged
    observation = session.observe { [weak self] in self?.observe($0) }
    observe(session.snapshot)
  }

  /// Whether there is nothing to tell and nothing shown.
  var isIdle: Bool {
    switch (presented, presenter) {
    case (.nothing, .idle): news.isIdle
    default: false
    }
  }

  // MARK: News

  /// Runs `start`, which starts a sign-in or joins the one that runs.
  ///
  /// - Parameter isTold: false when who asks shows the code to the user itself.
  func signIn(isTold: Bool, _ start: () async throws -> ChappieDeviceCode) async throws -> ChappieDeviceCode {
    if isTold { otherAsks += 1 } else { quietAsks += 1 }
    defer { if isTold { otherAsks -= 1 } else { quietAsks -= 1 } }
    if isTold { change { $0.ask() } }
    return try await start()
  }

  private func observe(_ snapshot: ChappieAuthSession.Snapshot) {
    change { $0.observe(snapshot, isAskedQuietly: quietAsks > 0 && otherAsks == 0) }
  }

  private func change(_ change: (inout SlotNews) -> Void) {
    let old = news.news
    change(&news)
    if news.news != old {
      forgetInTime()
      present()
    }
    idleChanged(self)
  }

  private func forgetInTime() {
    briefTime = nil
    guard news.news.isBrief else { return }
    briefTime = Timer(after: DesktopNotification.briefTime) { [weak self] in self?.change { $0.forgetBriefNews() } }
  }

  // MARK: Presenting

  /// Brings what is shown in line with the news.
  private func present() {
    guard case .idle = presenter else {
      presenter = .due
      return
    }
    Task.onGLib {
      repeat {
        presenter = .busy
        await presentOnce()
      } while presenter == .due
      presenter = .idle
      idleChanged(self)
    }
    presenter = .busy
  }

  /// What is shown now: at a locked screen no code, with which somebody else could sign in to an account of theirs.
  private var shownNews: SlotNews.News {
    if case .codeWaits = news.news, LockMonitor.shared.isScreenLocked { return .none }
    return news.news
  }

  func lockChanged() {
    present()
  }

  private func presentOnce() async {
    let told = shownNews
    if told == .none {
      let id = presented.id
      // The user has dismissed what is only held back now.
      if case .closed = presented, news.news != .none { return }
      presented = .nothing
      if id != 0 { await server.close(id) }
      return
    }
    guard let notification = DesktopNotification(told, of: name), presented.news != told,
      let reached = await server.reach(), shownNews == told,
      let id = await server.show(notification, replacing: presented.id, on: reached)
    else { return }
    presented = .shown(id, told)
  }

  /// Tells nothing any more, and takes away what is shown.
  func withdraw() {
    observation = nil
    change { $0 = SlotNews() }
  }

  // MARK: The server

  func receive(_ event: NotificationServer.Event) {
    switch event {
    case .appeared:
      present()
    case .vanished:
      if case .shown = presented { presented = .nothing }
    case .closed(let id):
      if case .shown(id, let news) = presented { closed(news) }
    case .invoked(let id, let action, let token):
      if case .shown(id, let news) = presented { invoked(action, news, token) }
    }
    idleChanged(self)
  }

  private func closed(_ news: SlotNews.News) {
    // That was not the user, who is to see it.
    guard !LockMonitor.shared.isScreenLocked else {
      presented = .nothing
      return
    }
    presented = .closed(news)
    // The page asks for the code: it is shown again where a click has taken it away.
    guard case .codeWaits = news, let pageOpened, ContinuousClock.now - pageOpened < Self.closingTime else { return }
    self.pageOpened = nil
    showAgain()
  }

  private func showAgain() {
    if case .closed = presented { presented = .nothing }
    present()
  }

  private func invoked(_ action: String, _ news: SlotNews.News, _ activationToken: String?) {
    guard !LockMonitor.shared.isScreenLocked else {
      Log.notice("A click on a notification was passed over: the screen is locked.")
      return
    }
    switch (news, action) {
    case (.needsSignIn, "default"), (.needsSignIn, DesktopNotification.Action.signIn.rawValue):
      startSignIn()
    case (.codeWaits(let code), "default"), (.codeWaits(let code), DesktopNotification.Action.openPage.rawValue):
      pageOpened = ContinuousClock.now
      Task.onGLib { await openPage(code.verificationURI, activationToken) }
    default:
      break
    }
  }

  private func startSignIn() {
    Task.onGLib {
      do {
        // A click is a person's consent that the keyring asks for its password.
        _ = try await signIn(isTold: true) { try await session.startDeviceCodeSignIn(interaction: .allowed) }
      } catch {
        showAgain()
      }
    }
  }
}
