// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie chat` at a terminal.
@Suite(.worlds) @GLibActor
struct ChatTests {
  @Test func eachLineIsAnswered() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.chappie(
        "chat",
        at: [
          .prompt, .types("My name is Ada.\(TerminalStep.enter)"),
          .sees("You said: “My name is Ada.” This conversation has 1 message."),
          .prompt, .types("Who am I?\(TerminalStep.enter)"), .sees("This conversation has 3 messages."),
          // An empty line is no message.
          .prompt, .types(" \(TerminalStep.enter)"), .prompt, .types(TerminalStep.end),
        ])
      #expect(output.status == 0, "\(output.text)")
      #expect(try await world.sandbox.state().requests["responses"] == 2)
    }
  }

  @Test func aSearchIsSwitchedOnAndOff() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.chappie(
        "chat",
        at: [
          .prompt, .types("/search\(TerminalStep.enter)"),
          .prompt, .types("search for dogs\(TerminalStep.enter)"), .sees("dogs, source 1"),
          .prompt, .types("/search off\(TerminalStep.enter)"),
          .prompt, .types("search for cats\(TerminalStep.enter)"), .sees("You said: “search for cats”"),
          .prompt, .types(TerminalStep.end),
        ])
      #expect(output.status == 0, "\(output.text)")
    }
  }

  /// The turn that was opened at a prompt is not used for a message after a command.
  @Test(arguments: [["chat"], ["chat", "--thread", "new"]])
  func aCommandCountsForTheNextMessage(_ arguments: [String]) async throws {
    try await World.signedIn { world, _ in
      let output = try await world.chappie(
        arguments,
        at: [
          .prompt, .types("one\(TerminalStep.enter)"), .sees("You said: “one” This conversation has 1 message."),
          .prompt, .types("/clear\(TerminalStep.enter)"),
          .prompt, .types("two\(TerminalStep.enter)"), .sees("You said: “two” This conversation has 1 message."),
          .prompt, .types("/model gpt-6-sol\(TerminalStep.enter)"),
          .prompt, .types("three\(TerminalStep.enter)"), .sees("You said: “three” This conversation has 3 messages."),
          .prompt, .types(TerminalStep.end),
        ])
      #expect(output.status == 0, "\(output.text)")
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-sol")
    }
  }

  @Test func linesCanBeEditedAndRecalled() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.chappie(
        "chat",
        at: [
          .prompt, .types("illo\(TerminalStep.start)w\(TerminalStep.enter)"), .sees("You said: “willo”"),
          .prompt, .types("\(TerminalStep.up)w\(TerminalStep.enter)"), .sees("You said: “willow”"),
          .prompt, .types("Zür\u{7F}ri\(TerminalStep.enter)"), .sees("You said: “Züri”"),
          .prompt, .types(TerminalStep.end),
        ])
      #expect(output.status == 0, "\(output.text)")
      #expect(try await world.sandbox.state().requests["responses"] == 3)
    }
  }

  @Test func interruptCancelsOnlyTheAnswer() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.stall(times: "1")
      let output = try await world.chappie(
        "chat",
        at: [
          .prompt, .types("Go on\(TerminalStep.enter)"), .sees(Sandbox.stalledText), .types(TerminalStep.interrupt),
          .sees("chappie: Cancelled."), .prompt, .types("Again\(TerminalStep.enter)"),
          .sees("You said: “Again” This conversation has 1 message."), .prompt, .types(TerminalStep.end),
        ])
      #expect(output.status == 0, "\(output.text)")
      #expect(try await world.sandbox.state().openStreams == 0)
      #expect(try await caller.property("Client.ActiveTurns", as: [String].self).isEmpty)
    }
  }

  /// The second interrupt ends the command even when the service does not answer.
  @Test func aSecondInterruptEndsTheCommandAtOnce() async throws {
    try await World.signedIn { world, _ in
      let service = try #require(world.service.process).id
      let output = try await world.chappie(
        "chat",
        at: [
          .prompt, .runs("kill -STOP \(service)"), .types("one\(TerminalStep.enter)"),
          .insists(TerminalStep.interrupt, until: "chappie: Cancelled."), .prompt,
          .types("/context\(TerminalStep.enter)"),
          .insists(TerminalStep.interrupt, until: "chappie: Cancelled."), .prompt,
          .runs("kill -CONT \(service)"), .types("two\(TerminalStep.enter)"), .sees("You said: “two”"), .prompt,
          .types(TerminalStep.end),
        ])
      #expect(output.status == 0, "\(output.text)")
    }
  }

  @Test func theChatReportsAFailureAndContinues() async throws {
    try await World.signedIn { world, _ in
      try await world.sandbox.play(#"[{"endpoint":"responses","status":400,"body":{"detail":"Not today."}}]"#)
      let output = try await world.chappie(
        "chat",
        at: [
          .prompt, .types("one\(TerminalStep.enter)"), .sees("chappie: "), .sees("Not today."), .prompt,
          .types("two\(TerminalStep.enter)"), .sees("You said: “two”"), .prompt, .types(TerminalStep.end),
        ])
      #expect(output.status == 0, "\(output.text)")
    }
  }

  /// The history holds the lines of this run only.
  @Test func typedLinesAreWrittenToNoFile() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.chappie(
        "chat",
        at: [
          .prompt, .types("unforgettable\(TerminalStep.enter)"), .sees("You said"), .prompt,
          .types("/quit\(TerminalStep.enter)"),
        ])
      #expect(output.status == 0, "\(output.text)")
      let again = try await world.chappie(
        "chat",
        at: [
          .prompt, .types("\(TerminalStep.up)anew\(TerminalStep.enter)"), .sees("You said: “anew”"), .prompt,
          .types(TerminalStep.end),
        ])
      #expect(again.status == 0, "\(again.text)")
      // The terminal's output is in the logs of these tests.
      let found = try world.directories.files().filter { !$0.key.hasPrefix("logs/") }
        .filter { $0.value.range(of: Data("unforgettable".utf8)) != nil }
      #expect(found.keys.sorted() == [])
    }
  }
}
