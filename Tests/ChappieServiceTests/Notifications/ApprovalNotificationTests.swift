import ChappieSDK
import GLibBridge
import TestSupport
import Testing

@testable import ChappieService

@Suite(.timeLimit(.minutes(1))) @GLibActor
struct ApprovalNotificationTests {
  /// A lockable desktop that records the questions it shows.
  @GLibActor
  private final class Desktop {
    var isLocked = false
    private(set) var shown: [UInt32] = []
    private(set) var count: UInt32 = 0
    /// The number of times the notification read the lock state.
    private(set) var looks = 0
    private(set) var answers: [ChappieApprovalDecision] = []

    func ask(patience: Duration = .zero) -> ApprovalNotification {
      let desktop = ApprovalNotification.Desktop { _ in
        self.count += 1
        self.shown.append(self.count)
        return self.count
      } close: { id in
        self.shown.removeAll { $0 == id }
      } mayApprove: {
        self.looks += 1
        return !self.isLocked
      }
      let question = ApprovalQuestion(tool: "delete", arguments: "{}", app: nil)
      return ApprovalNotification(question, desktop, patience: patience) { self.answers.append($0) }
    }
  }

  private let desktop = Desktop()

  @Test func showsTheQuestionAfterThePatienceOfPrograms() async throws {
    let early = desktop.ask(patience: .seconds(3600))
    let due = desktop.ask()
    try await eventually("the question") { desktop.shown == [1] }
    early.withdraw()
    due.withdraw()
    try await eventually("the end of the question") { desktop.shown.isEmpty }
    #expect(desktop.count == 1)
  }

  @Test func showsNoQuestionWhileTheDesktopIsLocked() async throws {
    desktop.isLocked = true
    let question = desktop.ask()
    try await eventually("a query of the lock") { desktop.looks == 1 }
    #expect(desktop.count == 0)
    desktop.isLocked = false
    question.lockChanged()
    try await eventually("the question") { desktop.shown == [1] }
    question.withdraw()
  }

  @Test func hidesTheQuestionWhileTheDesktopIsLocked() async throws {
    let question = desktop.ask()
    try await eventually("the question") { desktop.shown == [1] }
    desktop.isLocked = true
    question.lockChanged()
    try await eventually("the end of the question") { desktop.shown.isEmpty }
    question.receive(.invoked(1, action: "approve", activationToken: nil))
    #expect(desktop.answers.isEmpty)
    desktop.isLocked = false
    question.lockChanged()
    try await eventually("the question again") { desktop.shown == [2] }
    // A click counts only after the server has returned the notification's id.
    try await eventually("the answer") {
      question.receive(.invoked(2, action: "deny", activationToken: nil))
      return desktop.answers == [.denied()]
    }
  }
}
