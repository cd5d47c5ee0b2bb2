import ChappieSDK
import GLibBridge

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
  private let answer: @GLibActor (DesktopNotification.Action) -> Void
  private let unshown: @GLibActor () -> Void
  private var stage = Stage.over

  /// - Parameters:
  ///   - patience: the time for programs to answer before the desktop asks.
  ///   - answer: receives each click on a button.
  ///   - unshown: called if no server shows the question, or the server that shows it ends.
  init(
    _ content: DesktopNotification, _ desktop: Desktop, patience: Duration,
    _ answer: @escaping @GLibActor (DesktopNotification.Action) -> Void,
    unshown: @escaping @GLibActor () -> Void = {}
  ) {
    self.content = content
    self.desktop = desktop
    self.answer = answer
    self.unshown = unshown
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
      if !isShown { unshown() }
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
      unshown()
    default: break
    }
  }
}
