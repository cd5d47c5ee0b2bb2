import ChappieSDK
import GLibBridge

/// Asks about one tool call by a notification, where no program has answered for the user by then.
///
/// Nobody is asked at a locked screen: what is shown when it is locked goes, and comes again.
@GLibActor
final class ApprovalNotification {
  /// How long programs have to answer before the desktop asks.
  static let patience = Duration.seconds(3)

  private enum Stage {
    case waiting(Timer)
    /// It is time, and it is locked.
    case locked
    case showing
    case shown(UInt32)
    case over
  }

  private let question: ApprovalQuestion
  private let server: NotificationServer
  private let answer: @GLibActor (ChappieApprovalDecision) -> Void
  private var stage = Stage.over

  init(
    _ question: ApprovalQuestion, _ server: NotificationServer,
    _ answer: @escaping @GLibActor (ChappieApprovalDecision) -> Void
  ) {
    self.question = question
    self.server = server
    self.answer = answer
    stage = .waiting(Timer(after: Self.patience) { [weak self] in self?.show() })
  }

  private func show() {
    guard LockMonitor.shared.mayApprove else {
      stage = .locked
      return
    }
    stage = .showing
    Task.onGLib {
      guard let reached = await server.reach(),
        let id = await server.show(DesktopNotification(asking: question), replacing: 0, on: reached)
      else { return }
      if case .showing = stage { stage = .shown(id) } else { await server.close(id) }
    }
  }

  /// Asks no more.
  func withdraw() {
    hide(.over)
  }

  private func hide(_ next: Stage) {
    let old = stage
    stage = next
    if case .shown(let id) = old { Task.onGLib { [server] in await server.close(id) } }
  }

  func lockChanged() {
    switch (stage, LockMonitor.shared.mayApprove) {
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
