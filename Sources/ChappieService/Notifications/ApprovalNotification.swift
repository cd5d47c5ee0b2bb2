import ChappieSDK
import GLibBridge

/// Asks about one tool call by a notification, where no program has answered for the user by then.
///
/// Nobody is asked at a locked screen: what is shown when it is locked goes, and comes again.
@GLibActor
final class ApprovalNotification {
  /// What a notification server does with the question, and the lock that decides whether it may.
  struct Desktop {
    /// - Returns: the notification's id; nil when it is not shown.
    let show: @GLibActor (DesktopNotification) async -> UInt32?
    let close: @GLibActor (UInt32) async -> Void
    /// Whether a person's consent counts now.
    var mayApprove: @GLibActor () -> Bool = { LockMonitor.shared.mayApprove }
  }

  private enum Stage {
    case waiting(Timer)
    /// It is time, and it is locked.
    case locked
    case showing
    case shown(UInt32)
    case over
  }

  private let question: ApprovalQuestion
  private let desktop: Desktop
  private let answer: @GLibActor (ChappieApprovalDecision) -> Void
  private var stage = Stage.over

  /// - Parameter patience: how long programs have to answer before the desktop asks.
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

  /// Asks no more.
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
    // A server may tell of a button that it was not given.
    case .invoked(shown, DesktopNotification.Action.approve.rawValue, _) where question.whole != nil:
      answer(.approved())
    case .invoked(shown, DesktopNotification.Action.deny.rawValue, _): answer(.denied())
    // Dismissed, or gone with its server: it waits for its time limit, and for programs.
    case .closed(shown), .vanished: stage = .over
    default: break
    }
  }
}

extension DesktopNotification {
  init(asking question: ApprovalQuestion) {
    let whose = question.app.map { "The tool belongs to \($0)." } ?? "The tool belongs to a program of yours."
    // What the call is about stays out of the summary, which servers show on locked screens too.
    let summary = "ChatGPT wants to use a tool"
    if let whole = question.whole {
      self.init(
        summary: summary,
        body: [whole, whose, "Approve only what you asked for; without an answer it does not run."]
          .joined(separator: "\n"),
        actions: [.approve, .deny], category: "x-chappie.approval", lifetime: .untilSolved)
    } else {
      self.init(
        summary: summary,
        body: [
          "\(question.shownTool) would get more than can be shown here.", whose,
          "To read all of it and answer, in a terminal: chappie approvals",
        ].joined(separator: "\n"),
        actions: [.deny], category: "x-chappie.approval", lifetime: .untilSolved)
    }
  }
}
