// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Desktop notifications: one for each credential slot that needs a sign-in, shared by all sessions of the slot, and
/// one for each question that no program answers.
@GLibActor
final class Notifications {
  private let connection: BusConnection
  private lazy var server = NotificationServer(connection) { [weak self] in self?.receive($0) }
  private let window: DesktopWindow
  private var notifications: [SlotIdentity: Weak<SlotNotification>] = [:]
  /// The slot notifications with something to show. They outlive their sessions.
  private var telling: [SlotIdentity: SlotNotification] = [:]
  private var questions: [ObjectIdentifier: QuestionNotification] = [:]
  /// The calls about questions that the server has not answered.
  private var questionCalls = 0
  private let questionRate = RateLimit<String> { _ in Limits.questionRate }
  /// Set while all notifications are withdrawn; ends when that is done.
  private var withdrawn: Wait?

  init(_ connection: BusConnection) {
    self.connection = connection
    window = DesktopWindow(connection)
    LockMonitor.shared.observe { [weak self] in self?.lockChanged() }
    server.withdrawEarlier()
  }

  private func lockChanged() {
    for notification in telling.values { notification.lockChanged() }
    for notification in questions.values { notification.lockChanged() }
  }

  /// Follows the slot of `session` while the result is held, and until its notification is resolved.
  func follow(_ session: ChappieAuthSession) -> SlotNotification {
    if let notification = notifications[SlotIdentity(session.configuration)]?.value { return notification }
    notifications = notifications.filter { $0.value.value != nil }
    let notification = SlotNotification(session, server, window) { [connection] address, token in
      await WebPage.open(address, activationToken: token, over: connection)
    } idleChanged: { [weak self] in
      self?.note($0)
    }
    notifications[notification.slot] = Weak(notification)
    return notification
  }

  /// Shows a question while `body` waits for the answer.
  ///
  /// - Parameters:
  ///   - asker: the application that asks, for the limit of its questions.
  ///   - patience: the time for programs to answer before the desktop asks.
  ///   - answer: receives each click on a button.
  ///   - unshown: called if no notification server shows the question.
  func asking<Result>(
    _ question: DesktopNotification, of asker: String, patience: Duration = .zero,
    answer: @escaping @GLibActor (DesktopNotification.Action) -> Void,
    unshown: @escaping @GLibActor () -> Void = {}, while body: () async -> Result
  ) async -> Result {
    var desktop = QuestionNotification.Desktop { [self] notification, shown in
      questionCalls += 1
      defer { questionCallEnded() }
      guard let reached = await server.reach() else { return false }
      return await server.show(notification, replacing: 0, on: reached, shown)
    } close: { [self] id in
      questionCalls += 1
      Task.onGLib {
        await server.close(id)
        questionCallEnded()
      }
    }
    desktop.mayAsk = { [questionRate] in questionRate.allows(asker) }
    let notification = QuestionNotification(question, desktop, patience: patience, answer, unshown: unshown)
    questions[ObjectIdentifier(notification)] = notification
    defer {
      notification.withdraw()
      questions[ObjectIdentifier(notification)] = nil
    }
    return await body()
  }

  /// Withdraws all notifications, since nothing handles a click after the end of the service.
  func withdraw() async {
    for question in questions.values { question.withdraw() }
    guard !isWithdrawn else { return }
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
    if isWithdrawn { withdrawn?.finish() }
  }

  private var isWithdrawn: Bool { telling.isEmpty && questionCalls == 0 }

  private func questionCallEnded() {
    questionCalls -= 1
    if isWithdrawn { withdrawn?.finish() }
  }

  private func receive(_ event: NotificationServer.Event) {
    for notification in telling.values { notification.receive(event) }
    for notification in questions.values { notification.receive(event) }
  }
}
