// SPDX-License-Identifier: Apache-2.0
@testable import ChappieService

@Suite(.timeLimit(.minutes(10))) @GLibActor
struct QuestionNotificationTests {
  /// A lockable desktop that records the questions it shows.
  @GLibActor
  private final class Desktop {
    var isLocked = false
    private(set) var shown: [UInt32] = []
    private(set) var count: UInt32 = 0
    /// The number of times the notification read the lock state.
    private(set) var looks = 0
    private(set) var answers: [DesktopNotification.Action] = []
    var hasServer = true
    private(set) var failures = 0

    func ask(patience: Duration = .zero) -> QuestionNotification {
      let desktop = QuestionNotification.Desktop { _, shown in
        guard self.hasServer else { return false }
        self.count += 1
        self.shown.append(self.count)
        shown(self.count)
        return true
      } close: { id in
        self.shown.removeAll { $0 == id }
      } mayApprove: {
        self.looks += 1
        return !self.isLocked
      }
      let question = DesktopNotification(asking: ApprovalQuestion(tool: "delete", arguments: "{}", app: nil))
      return QuestionNotification(question, desktop, patience: patience) {
        if let action = $0 { self.answers.append(action) } else { self.failures += 1 }
      }
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
      return desktop.answers == [.deny]
    }
  }

  @Test func tellsThatNoServerShowsTheQuestion() async throws {
    let question = desktop.ask()
    try await eventually("the question") { desktop.shown == [1] }
    try await eventually("the end of the server") {
      question.receive(.vanished)
      return desktop.failures == 1
    }
    desktop.hasServer = false
    let other = desktop.ask()
    try await eventually("the failure") { desktop.failures == 2 }
    withExtendedLifetime(other) {}
  }

  /// A server may report a button of another notification.
  @Test func onlyItsOwnButtonsAnswer() async throws {
    let question = desktop.ask()
    try await eventually("the question") { desktop.shown == [1] }
    try await eventually("the answer") {
      for key in ["default", "allow", "sign-in", "approve"] {
        question.receive(.invoked(1, action: key, activationToken: nil))
      }
      return !desktop.answers.isEmpty
    }
    #expect(desktop.answers == [.approve])
  }
}

struct ApprovalQuestionTests {
  private func whole(_ arguments: String, tool: String = "delete") -> String? {
    ApprovalQuestion(tool: tool, arguments: arguments, app: nil).whole
  }

  @Test func showsAShortCallInFull() {
    #expect(whole("{}") == "delete {}")
    #expect(whole(#"{ "file" :"a   b" }"#) == #"delete { "file" :"a   b" }"#)
    let most = String(repeating: "x", count: 200 - #"{"t":""}"#.count)
    #expect(whole(#"{"t":"\#(most)"}"#) != nil)
  }

  @Test(arguments: [
    #"{"t":"\#(String(repeating: "x", count: 200))"}"#, #"{"t":"a    b"}"#,
    #"{"t":"\#(String(repeating: "\\u0020", count: 4))"}"#, #"{"t":"\#(String(repeating: "\u{200B}", count: 40))"}"#,
    #"{"t":"\#(String(repeating: "\\n", count: 120))"}"#, #"{"t":"\#(String(repeating: "\u{2003}", count: 60))"}"#,
    #"{"t":"\#(String(repeating: "e\u{301}\u{302}\u{303}", count: 60))"}"#,
  ])
  func doesNotShowOtherArgumentsAndNamesInFull(_ arguments: String) {
    #expect(whole(arguments) == nil)
    #expect(whole("{}", tool: String(repeating: "t", count: 65)) == nil)
    #expect(whole("{}", tool: "a\u{202E}b") == nil)
  }
}
