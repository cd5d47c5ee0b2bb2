import ChappieSDK
import GLibBridge

/// The one notification of a credential slot: brings each update to the notification server.
@GLibActor
final class SlotNotification {
  /// What has become of the latest update.
  private enum Presented {
    case nothing
    case shown(UInt32, SlotUpdates.Update)
    /// Expired or dismissed: it comes back with another update only.
    case closed(SlotUpdates.Update)

    var update: SlotUpdates.Update? {
      switch self {
      case .nothing: nil
      case .shown(_, let update), .closed(let update): update
      }
    }

    var id: UInt32 {
      if case .shown(let id, _) = self { return id }
      return 0
    }
  }

  /// What brings updates to the server, one call at a time.
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
  private var updates = SlotUpdates()
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
    observation = session.observe { [weak self] _, new in self?.observe(new) }
    observe(session.snapshot)
  }

  /// Whether there is nothing to tell and nothing shown.
  var isIdle: Bool {
    switch (presented, presenter) {
    case (.nothing, .idle): updates.isIdle
    default: false
    }
  }

  // MARK: Updates

  /// Runs `start`, which starts a sign-in or joins the one that runs.
  ///
  /// - Parameter isTold: false when who asks shows the code to the user itself.
  func signIn(isTold: Bool, _ start: () async throws -> ChappieDeviceCode) async throws -> ChappieDeviceCode {
    if isTold { otherAsks += 1 } else { quietAsks += 1 }
    defer { if isTold { otherAsks -= 1 } else { quietAsks -= 1 } }
    if isTold { change { $0.ask(session.snapshot) } }
    return try await start()
  }

  private func observe(_ snapshot: ChappieAuthSession.Snapshot) {
    change { $0.observe(snapshot, isAskedQuietly: quietAsks > 0 && otherAsks == 0) }
  }

  private func change(_ change: (inout SlotUpdates) -> Void) {
    let old = updates.update
    change(&updates)
    if updates.update != old {
      forgetInTime()
      present()
    }
    idleChanged(self)
  }

  private func forgetInTime() {
    briefTime = nil
    guard updates.update.isBrief else { return }
    briefTime = Timer(after: DesktopNotification.briefTime) { [weak self] in self?.change { $0.forgetBriefUpdate() } }
  }

  // MARK: Presenting

  /// Brings what is shown in line with the latest update.
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
  private var shownUpdate: SlotUpdates.Update {
    if case .codeWaits = updates.update, LockMonitor.shared.isScreenLocked { return .none }
    return updates.update
  }

  func lockChanged() {
    present()
  }

  private func presentOnce() async {
    let update = shownUpdate
    if update == .none {
      let id = presented.id
      // The user has dismissed what is only held back now.
      if case .closed = presented, updates.update != .none { return }
      presented = .nothing
      if id != 0 { await server.close(id) }
      return
    }
    guard let notification = DesktopNotification(update, of: name), presented.update != update,
      let reached = await server.reach(), shownUpdate == update,
      let id = await server.show(notification, replacing: presented.id, on: reached)
    else { return }
    presented = .shown(id, update)
  }

  /// Tells nothing any more, and takes away what is shown.
  func withdraw() {
    observation = nil
    change { $0 = SlotUpdates() }
  }

  // MARK: The server

  func receive(_ event: NotificationServer.Event) {
    switch event {
    case .appeared:
      present()
    case .vanished:
      if case .shown = presented { presented = .nothing }
    case .closed(let id):
      if case .shown(id, let update) = presented { closed(update) }
    case .invoked(let id, let action, let token):
      if case .shown(id, let update) = presented { invoked(action, update, token) }
    }
    idleChanged(self)
  }

  private func closed(_ update: SlotUpdates.Update) {
    // That was not the user, who is to see it.
    guard !LockMonitor.shared.isScreenLocked else {
      presented = .nothing
      return
    }
    presented = .closed(update)
    // The page asks for the code: it is shown again where a click has taken it away.
    guard case .codeWaits = update, let pageOpened, ContinuousClock.now - pageOpened < Self.closingTime else { return }
    self.pageOpened = nil
    showAgain()
  }

  private func showAgain() {
    if case .closed = presented { presented = .nothing }
    present()
  }

  private func invoked(_ action: String, _ update: SlotUpdates.Update, _ activationToken: String?) {
    guard !LockMonitor.shared.isScreenLocked else {
      Log.notice("A click on a notification was passed over: the screen is locked.")
      return
    }
    switch (update, action) {
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
