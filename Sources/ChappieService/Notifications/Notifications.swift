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
  /// Those with something to show hold themselves, and outlive their sessions.
  private var slots: [SlotIdentity: Weak<SlotNotification>] = [:]
  private var questions: [ObjectIdentifier: QuestionNotification] = [:]
  private let questionRate = RateLimit<String> { _ in Limits.questionRate }

  init(_ connection: BusConnection) {
    self.connection = connection
    window = DesktopWindow(connection)
    LockMonitor.shared.observe { [weak self] in
      guard let self else { return }
      for slot in slots.values { slot.value?.present() }
      for question in questions.values { question.lockChanged() }
    }
    server.withdrawEarlier()
  }

  /// Follows the slot of `session` while the result is held, and until its notification is resolved.
  func follow(_ session: ChappieAuthSession) -> SlotNotification {
    let slot = SlotIdentity(session.configuration)
    if let notification = slots[slot]?.value { return notification }
    slots = slots.filter { $0.value.value != nil }
    let notification = SlotNotification(session, slot, server, window, openPage: WebPage.opener(over: connection))
    slots[slot] = Weak(notification)
    return notification
  }

  /// Shows a question while `body` waits for the answer.
  ///
  /// - Parameters:
  ///   - asker: the application that asks, for the limit of its questions.
  ///   - patience: the time for programs to answer before the desktop asks.
  ///   - answer: receives each click on a button; nil if no notification server shows the question.
  func asking<Result>(
    _ question: DesktopNotification, of asker: String, patience: Duration = .zero,
    answer: @escaping @GLibActor (DesktopNotification.Action?) -> Void, while body: () async -> Result
  ) async -> Result {
    var desktop = QuestionNotification.Desktop { [server] notification, shown in
      guard let reached = await server.reach() else { return false }
      return await server.show(notification, replacing: 0, on: reached, shown)
    } close: { [server] id in
      Task.onGLib { await server.close(id) }
    }
    desktop.mayAsk = { [questionRate] in questionRate.allows(asker) }
    let notification = QuestionNotification(question, desktop, patience: patience, answer)
    questions[ObjectIdentifier(notification)] = notification
    defer {
      notification.withdraw()
      questions[ObjectIdentifier(notification)] = nil
    }
    return await body()
  }

  /// Withdraws all notifications, since nothing handles a click after the end of the service.
  func withdraw() async {
    // A server that does not answer must not keep the service from ending.
    try? await withDeadline(.seconds(1)) { [server] in await server.end() }
  }

  private func receive(_ event: NotificationServer.Event) {
    for slot in slots.values { slot.value?.receive(event) }
    for question in questions.values { question.receive(event) }
  }
}
