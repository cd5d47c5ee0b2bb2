import ChappieSDK
import GLibBridge

/// A tool call that the user is asked about.
struct ApprovalQuestion {
  let tool: String
  /// JSON text.
  let arguments: String
  /// The app that brought the tool, where it is known.
  let app: String?
}

/// Asks about one tool call by a notification, where no program has answered for the user by then.
@GLibActor
final class ApprovalNotification {
  /// How long programs have to answer before the desktop asks.
  static let patience = Duration.seconds(3)

  private enum Stage {
    case waiting(Timer)
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
    // A question over a locked screen could be answered by anybody.
    guard !LockMonitor.shared.isScreenLocked else {
      stage = .waiting(Timer(after: Self.patience) { [weak self] in self?.show() })
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
    let old = stage
    stage = .over
    if case .shown(let id) = old { Task.onGLib { [server] in await server.close(id) } }
  }

  func receive(_ event: NotificationServer.Event) {
    guard case .shown(let shown) = stage else { return }
    switch event {
    case .invoked(shown, DesktopNotification.Action.approve.rawValue, _): answer(.approved())
    case .invoked(shown, DesktopNotification.Action.deny.rawValue, _): answer(.denied())
    // Dismissed, or gone with its server: it waits for its time limit, and for programs.
    case .closed(shown), .vanished: stage = .over
    default: break
    }
  }
}

extension DesktopNotification {
  /// The longest part of the arguments that is shown, in characters.
  private static let argumentsLimit = 400

  init(asking question: ApprovalQuestion) {
    // The model writes them: on lines of their own they could pass for words of ours.
    let arguments = question.arguments.split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
    self.init(
      // What the call is about stays out of the summary, which servers show on locked screens too.
      summary: "ChatGPT wants to use a tool",
      body: [
        "\(question.tool) \(arguments.shown(limit: Self.argumentsLimit))",
        question.app.map { "The tool belongs to \($0)." } ?? "The tool belongs to a program of yours.",
        "Approve only what you asked for; without an answer it does not run.",
      ].joined(separator: "\n"),
      actions: [.approve, .deny], category: "x-chappie.approval", lifetime: .untilSolved)
  }
}
