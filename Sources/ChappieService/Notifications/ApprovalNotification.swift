import ChappieSDK
import GLibBridge
import Platform

/// Asks about one tool call by a notification, if no program has answered for the user in time.
///
/// It shows nothing while the screen is locked. The lock removes the notification, and unlocking shows it again.
@GLibActor
final class ApprovalNotification {
  /// The notification server, and the lock that allows its use.
  struct Desktop {
    /// - Returns: the notification's id; nil if it is not shown.
    let show: @GLibActor (DesktopNotification) async -> UInt32?
    let close: @GLibActor (UInt32) async -> Void
    /// Whether approvals count now.
    var mayApprove: @GLibActor () -> Bool = { LockMonitor.shared.mayApprove }
  }

  private enum Stage {
    case waiting(Timer)
    /// The time has come, and the screen is locked.
    case locked
    case showing
    case shown(UInt32)
    case over
  }

  private let question: ApprovalQuestion
  private let desktop: Desktop
  private let answer: @GLibActor (ChappieApprovalDecision) -> Void
  private var stage = Stage.over

  /// - Parameter patience: the time for programs to answer before the desktop asks.
  init(
    _ question: ApprovalQuestion, _ desktop: Desktop, patience: Duration = .seconds(3),
    _ answer: @escaping @GLibActor (ChappieApprovalDecision) -> Void
  ) {
    self.question = question
    self.desktop = desktop
    self.answer = answer
    stage = .waiting(Timer(after: patience) { [weak self] in self?.show() })
  }

  private func show() {
    guard desktop.mayApprove() else {
      stage = .locked
      return
    }
    stage = .showing
    Task.onGLib {
      guard let id = await desktop.show(DesktopNotification(asking: question)) else { return }
      if case .showing = stage { stage = .shown(id) } else { await desktop.close(id) }
    }
  }

  /// Removes the question.
  func withdraw() {
    hide(.over)
  }

  private func hide(_ next: Stage) {
    let old = stage
    stage = next
    if case .shown(let id) = old { Task.onGLib { [desktop] in await desktop.close(id) } }
  }

  func lockChanged() {
    switch (stage, desktop.mayApprove()) {
    case (.showing, false), (.shown, false): hide(.locked)
    case (.locked, true): show()
    default: break
    }
  }

  func receive(_ event: NotificationServer.Event) {
    guard case .shown(let shown) = stage else { return }
    switch event {
    // A server may report a button that the notification does not have.
    case .invoked(shown, DesktopNotification.Action.approve.rawValue, _) where question.whole != nil:
      answer(.approved())
    case .invoked(shown, DesktopNotification.Action.deny.rawValue, _): answer(.denied())
    // After a dismissal or the end of the server, programs can still answer until the time limit.
    case .closed(shown), .vanished: stage = .over
    default: break
    }
  }
}

extension DesktopNotification {
  init(asking question: ApprovalQuestion) {
    let whose = question.app.map { tr("The tool belongs to \($0).") } ?? tr("The tool belongs to a program of yours.")
    // The summary has no details of the call, since servers show it on locked screens too.
    let summary = tr("ChatGPT wants to use a tool")
    if let whole = question.whole {
      self.init(
        summary: summary,
        body: [whole, whose, tr("Approve only what you asked for; without an answer it does not run.")]
          .joined(separator: "\n"),
        actions: [.approve, .deny], category: "x-chappie.approval", lifetime: .untilSolved)
    } else {
      self.init(
        summary: summary,
        body: [
          tr("\(question.shownTool) would get more than can be shown here."), whose,
          tr("To read all of it and answer, in a terminal: chappie approvals"),
        ].joined(separator: "\n"),
        actions: [.deny], category: "x-chappie.approval", lifetime: .untilSolved)
    }
  }
}
