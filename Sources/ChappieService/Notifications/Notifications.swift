import ChappieSDK
import GLibBridge

/// Desktop notifications: one for each credential slot that needs a sign-in, however many sessions look at the slot,
/// and one for each tool call that nobody else asks the user about.
@GLibActor
final class Notifications {
  private let connection: BusConnection
  private lazy var server = NotificationServer(connection) { [weak self] in self?.receive($0) }
  private var notifications: [SlotIdentity: Weak<SlotNotification>] = [:]
  /// Those that tell something: they outlive the sessions they are for.
  private var telling: [SlotIdentity: SlotNotification] = [:]
  private var questions: [ObjectIdentifier: ApprovalNotification] = [:]
  /// While everything is taken away: ends when it is.
  private var withdrawn: Wait?

  init(_ connection: BusConnection) {
    self.connection = connection
    LockMonitor.shared.observe { [weak self] in self?.lockChanged() }
  }

  private func lockChanged() {
    for notification in telling.values { notification.lockChanged() }
    for notification in questions.values { notification.lockChanged() }
  }

  /// Tells of the slot of `session` for as long as the result is kept, and until what it tells is solved.
  func follow(_ session: ChappieAuthSession) -> SlotNotification {
    if let notification = notifications[SlotIdentity(session.configuration)]?.value { return notification }
    notifications = notifications.filter { $0.value.value != nil }
    let notification = SlotNotification(session, server) { [connection] address, token in
      await WebPage.open(address, activationToken: token, over: connection)
    } idleChanged: { [weak self] in
      self?.note($0)
    }
    notifications[notification.slot] = Weak(notification)
    return notification
  }

  /// Asks about a tool call while `body` waits for an answer from anywhere.
  func asking<Result>(
    _ question: ApprovalQuestion, answer: @escaping @GLibActor (ChappieApprovalDecision) -> Void,
    while body: () async -> Result
  ) async -> Result {
    let desktop = ApprovalNotification.Desktop { [server] notification in
      guard let reached = await server.reach() else { return nil }
      return await server.show(notification, replacing: 0, on: reached)
    } close: { [server] id in
      await server.close(id)
    }
    let notification = ApprovalNotification(question, desktop, answer)
    questions[ObjectIdentifier(notification)] = notification
    defer {
      notification.withdraw()
      questions[ObjectIdentifier(notification)] = nil
    }
    return await body()
  }

  /// Takes away what is shown: after the end of the service nobody hears a click.
  func withdraw() async {
    guard !telling.isEmpty else { return }
    let withdrawn = Wait()
    self.withdrawn = withdrawn
    // A server that does not answer must not keep the service from ending.
    let deadline = Timer(after: .seconds(1)) { withdrawn.finish() }
    for notification in telling.values { notification.withdraw() }
    await withdrawn.value()
    deadline.cancel()
  }

  private func note(_ notification: SlotNotification) {
    telling[notification.slot] = notification.isIdle ? nil : notification
    if telling.isEmpty { withdrawn?.finish() }
  }

  private func receive(_ event: NotificationServer.Event) {
    for notification in telling.values { notification.receive(event) }
    for notification in questions.values { notification.receive(event) }
  }
}
