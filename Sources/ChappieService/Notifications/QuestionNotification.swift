// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// Asks the user one question by a notification, if no program has answered for the user in time.
///
/// It shows nothing while the screen is locked. The lock removes the notification, and unlocking shows it again.
@GLibActor
final class QuestionNotification {
  /// The notification server, and the lock that allows its use.
  struct Desktop {
    /// Shows a notification. `shown` receives its id before any event about it.
    ///
    /// - Returns: whether it is shown.
    let show: @GLibActor (DesktopNotification, _ shown: @escaping @GLibActor (UInt32) -> Void) async -> Bool
    /// Starts to close a notification.
    let close: @GLibActor (UInt32) -> Void
    /// Whether approvals count now.
    var mayApprove: @GLibActor () -> Bool = { LockMonitor.shared.mayApprove }
    /// Counts one more question; false if it has to wait.
    var mayAsk: @GLibActor () -> Bool = { true }
  }

  /// The time until another try, for a program that asks too often.
  private static let pause = Duration.seconds(3)

  private enum Stage {
    case waiting(Timer)
    /// The time has come, and the screen is locked.
    case locked
    case showing
    case shown(UInt32)
    case over
  }

  private let content: DesktopNotification
  private let desktop: Desktop
  private let answer: @GLibActor (DesktopNotification.Action?) -> Void
  private var stage = Stage.over

  /// - Parameters:
  ///   - patience: the time for programs to answer before the desktop asks.
  ///   - answer: receives each click on a button; nil if no server shows the question, or the server that shows it ends.
  init(
    _ content: DesktopNotification, _ desktop: Desktop, patience: Duration,
    _ answer: @escaping @GLibActor (DesktopNotification.Action?) -> Void
  ) {
    self.content = content
    self.desktop = desktop
    self.answer = answer
    wait(patience)
  }

  private func wait(_ time: Duration) {
    stage = .waiting(Timer(after: time) { [weak self] in self?.show() })
  }

  private func show() {
    guard desktop.mayApprove() else {
      stage = .locked
      return
    }
    guard desktop.mayAsk() else { return wait(Self.pause) }
    stage = .showing
    Task.onGLib {
      guard case .showing = stage else { return }
      let isShown = await desktop.show(content) { [self] id in
        if case .showing = stage { stage = .shown(id) } else { desktop.close(id) }
      }
      if !isShown { answer(nil) }
    }
  }

  /// Removes the question.
  func withdraw() {
    hide(.over)
  }

  private func hide(_ next: Stage) {
    let old = stage
    stage = next
    if case .shown(let id) = old { desktop.close(id) }
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
    case .invoked(shown, let key, _):
      // A server may report a button that the notification does not have.
      if let action = content.actions.first(where: { $0.rawValue == key }) { answer(action) }
    // After a dismissal, programs can still answer until the time limit.
    case .closed(shown): stage = .over
    case .vanished:
      stage = .over
      answer(nil)
    default: break
    }
  }
}

extension DesktopNotification {
  /// A question to the user about background use.
  ///
  /// - Parameters:
  ///   - app: the id of the sandboxed app; nil for the user's own programs.
  ///   - name: the name in the app's desktop file, if there is one. The app has chosen it, so it is shown with the id.
  init(askingForBackgroundUseBy app: String?, named name: String?) {
    let app = app?.shown(limit: 64)
    let wish =
      switch (app, name?.shown(limit: 64)) {
      case (nil, _): tr("A program of yours wants to ask ChatGPT on its own, without a question from you.")
      case (let app?, nil): tr("\(app) wants to ask ChatGPT on its own, without a question from you.")
      case (let app?, let name?): tr("\(name) (\(app)) wants to ask ChatGPT on its own, without a question from you.")
      }
    let option = app.map { " --app \($0)" } ?? ""
    self.init(
      summary: tr("Use ChatGPT in the background?"),
      body: Self.lines(
        wish, tr("It uses your ChatGPT plan."), tr("In a terminal: \("chappie accounts --background allow\(option)")")),
      actions: [.allow, .refuse], category: "x-chappie.consent")
  }
}

/// A question to the user about a tool call.
struct ApprovalQuestion: Sendable, Equatable {
  let tool: String
  /// JSON text.
  let arguments: String
  /// The app that registered the tool; nil if it is unknown.
  let app: String?

  /// The longest arguments that every notification server shows whole, in characters: about four lines.
  private static let shownLimit = 200

  /// The tool and its arguments on one line; nil if a notification would not show all of it. A notification offers
  /// approval only for a call that it shows whole.
  var whole: String? {
    let legible = LegibleJSON(arguments)
    guard legible.text.unicodeScalars.count <= Self.shownLimit, !legible.hasGaps, shownTool == tool else { return nil }
    return "\(tool) \(legible.text)"
  }

  /// The tool's name, which a program has chosen.
  var shownTool: String { tool.shown(limit: 64) }
}

extension DesktopNotification {
  init(asking question: ApprovalQuestion) {
    let whose = question.app.map { tr("The tool belongs to \($0).") } ?? tr("The tool belongs to a program of yours.")
    // The summary has no details of the call, since servers show it on locked screens too.
    let summary = tr("ChatGPT wants to use a tool")
    let whole = question.whole
    let subject = whole ?? tr("\(question.shownTool) would get more than can be shown here.")
    let advice =
      whole == nil
      ? tr("To read all of it and answer, in a terminal: chappie approvals")
      : tr("Approve only what you asked for; without an answer it does not run.")
    self.init(
      summary: summary, body: Self.lines(subject, whose, advice), actions: whole == nil ? [.deny] : [.approve, .deny],
      category: "x-chappie.approval")
  }
}
