// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie chat` at a terminal.
@Suite(.worlds) @GLibActor
struct ChatTests {
  /// The turn that was opened at a prompt is not used for a message after a command.
  @Test func aCommandCountsForTheNextMessage() async throws {
    try await World.signedIn(each: [[], ["--thread", "new"]]) { world, _, arguments in
      try await world.chat(
        [
          "one": "You said: “one” This conversation has 1 message.", "/clear": "",
          "two": "You said: “two” This conversation has 1 message.", "/model gpt-6-sol": "",
          "three": "You said: “three” This conversation has 3 messages.",
        ], with: arguments)
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-sol")
    }
  }

  @Test func linesCanBeEditedAndRecalled() async throws {
    try await World.signedIn { world, _ in
      try await world.chat([
        "illo\(TerminalStep.start)w": "You said: “willo”", "\(TerminalStep.up)w": "You said: “willow”",
        "Zür\u{7F}ri": "You said: “Züri” This conversation has 5 messages.",
        // An empty line is no message.
        " ": "",
      ])
      #expect(try await world.sandbox.state().requests["responses"] == 3)

      // A failure is reported, and the chat goes on.
      try await world.sandbox.play(#"[{"endpoint":"responses","status":400,"body":{"detail":"Not today."}}]"#)
      let output = try await world.chat(["one": "Not today.", "two": "You said: “two”"])
      #expect(output.text.contains("chappie: "), "\(output.text)")
    }
  }

  @Test func interruptCancelsOnlyTheAnswer() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.stall(times: "2")
      let cancelled: [TerminalStep] = [
        .sees(Sandbox.stalledText), .types(TerminalStep.interrupt), .sees("chappie: Cancelled."), .prompt,
      ]
      var steps: [TerminalStep] = [.prompt]
      for line in ["Go on", "Again"] {
        steps.append(.types(line + TerminalStep.enter))
        steps += cancelled
      }
      steps += [
        .types("/retry\(TerminalStep.enter)"), .sees("You said: “Again” This conversation has 1 message."), .prompt,
        .types(TerminalStep.end),
      ]
      let output = try await world.chappie(["chat"], at: steps)
      #expect(output.status == 0, "\(output.text)")
      // What had come stays on the screen.
      let screen = try ReplayedTerminal.showing([output.text], columns: 80).text
      #expect(screen.components(separatedBy: Sandbox.stalledText).count == 3, "\(screen)")
      let state = try await world.sandbox.state()
      #expect(state.lastInput == ["user: Again"])
      #expect(state.openStreams == 0)
      #expect(try await caller.property("Client.ActiveTurns", as: [String].self).isEmpty)
    }
  }

  /// The second interrupt ends the command even when the service does not answer.
  @Test func aSecondInterruptEndsTheCommandAtOnce() async throws {
    try await World.signedIn { world, _ in
      let service = try #require(world.service.process).id
      try await world.chappie(
        "chat",
        at: [
          .prompt, .runs("kill -STOP \(service)"), .types("one\(TerminalStep.enter)"),
          .insists(TerminalStep.interrupt, until: "chappie: Cancelled."), .prompt,
          .types("/context\(TerminalStep.enter)"),
          .insists(TerminalStep.interrupt, until: "chappie: Cancelled."), .prompt,
          .runs("kill -CONT \(service)"), .types("two\(TerminalStep.enter)"), .sees("You said: “two”"), .prompt,
          .types(TerminalStep.end),
        ]
      ).expect(0)
    }
  }

  /// The history holds the lines of this run only.
  @Test func typedLinesAreWrittenToNoFile() async throws {
    try await World.signedIn { world, _ in
      try await world.chat(["unforgettable": "You said"])
      try await world.chat(["\(TerminalStep.up)anew": "You said: “anew”"])
      // The terminal's output is in the logs of these tests.
      let found = try world.directories.files().filter { !$0.key.hasPrefix("logs/") }
        .filter { $0.value.range(of: Data("unforgettable".utf8)) != nil }
      #expect(found.keys.sorted() == [])
    }
  }
}
