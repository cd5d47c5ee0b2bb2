// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The one notification of a credential slot. It keeps the notification server at the latest update: each replaces the
/// one before.
@GLibActor
final class SlotNotification {
  /// The state of the latest update on the desktop.
  private enum Presented {
    case nothing
    case shown(UInt32, SlotUpdates.Update, canCopy: Bool)
    /// Expired or dismissed. Another update shows the notification again, and so does ``showAgain()``.
    case closed(SlotUpdates.Update)

    var update: SlotUpdates.Update? {
      switch self {
      case .nothing: nil
      case .shown(_, let update, _), .closed(let update): update
      }
    }

    var id: UInt32 {
      if case .shown(let id, _, _) = self { return id }
      return 0
    }
  }

  /// The task that sends updates to the server, one call at a time.
  private enum Presenter {
    case idle
    case busy
    /// The update or the lock may have changed since the call began.
    case due
  }

  /// The longest time between a click and the closing of the notification for it.
  private static let closingTime = Duration.seconds(1)

  private let session: ChappieAuthSession
  private let name: SlotName
  private let server: NotificationServer
  private let window: DesktopWindow
  private let openPage: SignInOptions.OpenPage
  /// This notification, while something is shown or to be shown.
  private var hold: SlotNotification?
  private var observation: Observation?
  private var updates = SlotUpdates()
  /// The number of callers that wait for a code or a page and show it to the user themselves.
  private var quietAsks = 0
  /// The number of other callers that wait for one.
  private var otherAsks = 0
  private var briefTime: Timer?
  private var presented = Presented.nothing
  private var presenter = Presenter.idle
  /// The time of the latest click after which the user still needs the code.
  private var codeClicked: ContinuousClock.Instant?

  init(
    _ session: ChappieAuthSession, _ slot: SlotIdentity, _ server: NotificationServer, _ window: DesktopWindow,
    openPage: @escaping SignInOptions.OpenPage
  ) {
    name = SlotName(slot)
    self.session = session
    self.server = server
    self.window = window
    self.openPage = openPage
    observation = session.observe { [weak self] _, new in self?.observe(new) }
    observe(session.snapshot)
  }

  /// Lives on while something is shown or to be shown.
  private func holdWhileNeeded() {
    switch (presented, presenter) {
    case (.nothing, .idle) where updates.isIdle: hold = nil
    default: hold = self
    }
  }

  // MARK: Updates

  /// Runs `start`, which starts a sign-in or joins the running one.
  ///
  /// - Parameter isTold: whether the notification shows the code or the page; false if the caller itself does.
  /// - Throws: the errors of `start`.
  func signIn<Shown: Sendable>(isTold: Bool, _ start: () async throws -> Shown) async throws -> Shown {
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
    holdWhileNeeded()
  }

  private func forgetInTime() {
    briefTime = nil
    guard updates.update.isBrief else { return }
    briefTime = Timer(after: DesktopNotification.briefTime) { [weak self] in self?.change { $0.forgetBriefUpdate() } }
  }

  // MARK: Presenting

  /// Makes the desktop show the latest update, as the lock allows it now.
  func present() {
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
      holdWhileNeeded()
    }
    presenter = .busy
  }

  /// The update to show now. A locked screen shows no code, since another person could use it to sign in with their
  /// own account.
  private var shownUpdate: SlotUpdates.Update {
    if case .waiting = updates.update, LockMonitor.shared.isScreenLocked { .none } else { updates.update }
  }

  private func presentOnce() async {
    let update = shownUpdate
    if update == .none {
      let id = presented.id
      // The user has dismissed the update that the lock now holds back.
      if case .closed = presented, updates.update != .none { return }
      presented = .nothing
      if id != 0 { await server.close(id) }
      return
    }
    guard isOutdated(update), let reached = await server.reach() else { return }
    let canCopy = await canCopy(update, on: reached)
    guard shownUpdate == update, let notification = DesktopNotification(update, of: name, canCopy: canCopy) else {
      return
    }
    _ = await server.show(notification, replacing: presented.id, on: reached) { id in
      presented = .shown(id, update, canCopy: canCopy)
    }
  }

  private func canCopy(_ update: SlotUpdates.Update, on server: NotificationServer.Reachable) async -> Bool {
    guard case .waiting(.showCode) = update, server.capabilities.hasActions else { return false }
    return await window.isInstalled()
  }

  /// Whether the desktop has to be told of `update`, or of a button that no longer works.
  private func isOutdated(_ update: SlotUpdates.Update) -> Bool {
    if case .shown(_, update, canCopy: true) = presented { return window.hasFailed }
    return presented.update != update
  }

  // MARK: The server

  func receive(_ event: NotificationServer.Event) {
    switch event {
    case .appeared:
      present()
    case .vanished:
      if case .shown = presented { presented = .nothing }
    case .closed(let id):
      if case .shown(id, let update, _) = presented { closed(update) }
    case .invoked(let id, let action, let token):
      if case .shown(id, let update, _) = presented { invoked(action, update, token) }
    }
    holdWhileNeeded()
  }

  private func closed(_ update: SlotUpdates.Update) {
    // The lock closed it and not the user, who has yet to see it.
    guard !LockMonitor.shared.isScreenLocked else {
      presented = .nothing
      return
    }
    presented = .closed(update)
    // The page asks for the code, so the notification is shown again if a click closed it.
    guard case .waiting(.showCode) = update, let click = codeClicked, ContinuousClock.now - click < Self.closingTime
    else {
      return
    }
    codeClicked = nil
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
    let action =
      action == "default" ? update.actions(canCopy: false).first : DesktopNotification.Action(rawValue: action)
    switch (update, action) {
    case (.needsSignIn, .signIn): startSignIn(activationToken)
    case (.waiting(.showCode(let code)), .openPage):
      codeClicked = .now
      Task.onGLib { await openPage(code.verificationURI.address, activationToken) }
    case (.waiting(.openPage(let page, _)), .openPage):
      Task.onGLib { await openPage(page.authorizationURI.address, activationToken) }
    case (.waiting(.showCode(let code)), .copyCode):
      codeClicked = .now
      Task.onGLib {
        let isCopied = await window.perform(
          DesktopWindow.copyCode, code.userCode, activationToken: activationToken)
        if !isCopied { showAgain() }
      }
    default: break
    }
  }

  /// Starts a sign-in with the method of the one that has ended.
  private func signInAgain(_ activationToken: String?) async throws {
    switch session.signInMethod {
    case .browser:
      var wishes = SignInOptions(applicationName: await ApplicationName.registered(session.configuration))
      wishes.openPage = openPage
      wishes.activationToken = activationToken
      _ = try await signIn(isTold: true) { [wishes] in
        try await session.startBrowserSignIn(wishes, interaction: .allowed)
      }
    case .deviceCode, nil:
      _ = try await signIn(isTold: true) { try await session.startDeviceCodeSignIn(interaction: .allowed) }
    }
  }

  private func startSignIn(_ activationToken: String?) {
    Task.onGLib {
      // The window shows only the default account of the user's own.
      if name.isDefault, await window.perform(DesktopWindow.signIn, activationToken: activationToken) { return }
      guard !LockMonitor.shared.isScreenLocked else { return showAgain() }
      do {
        // A click allows the keyring to ask for its password.
        try await signInAgain(activationToken)
      } catch {
        showAgain()
      }
    }
  }
}
