// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// The prompt of `chappie chat`: Ctrl-C and pasted text.
@Suite(.worlds) @GLibActor
struct ChatPromptTests {
  /// The editor goes on as before: the message sent is the line shown.
  @Test func interruptClearsTheLine() async throws {
    let cases: [String: [TerminalStep]] = [
      "slowly": [.types("half a li"), .sees("half a li"), .types(TerminalStep.interrupt), .sees("^C"), .prompt],
      "at once": [.types("half a li\(TerminalStep.interrupt)")],
      "in a paste without an end": [.types("\u{1B}[200~never ended\r\(TerminalStep.interrupt)")],
    ]
    try await World.signedIn(each: cases.keys.sorted()) { world, _, name in
      let left = TerminalStep.left
      let steps = cases[name] ?? []
      let output = try await world.chappie(
        ["chat"],
        at: [.prompt] + steps + [
          .types("wrld\(left)\(left)\(left)o\(TerminalStep.enter)"), .sees("You said: “world”"), .prompt,
          .types(TerminalStep.end),
        ])
      #expect(output.status == 0, "\(output.text)")
      #expect(!output.text.contains("^[[D"))
      #expect(try await world.sandbox.state().lastInput == ["user: world"])
    }
  }

  /// What greets a person is no part of the answers.
  @Test func aFileGetsTheAnswersAlone() async throws {
    try await World.signedIn { world, _ in
      let file = world.directories.home.path + "/answers"
      try await world.chappie(
        "chat",
        at: [.sees("answers. /help shows the commands."), .prompt, .types("one\r"), .prompt, .types("/quit\r")],
        output: file
      ).expect(0)
      let answers = try String(contentsOfFile: file, encoding: .utf8)
      #expect(answers == "You said: “one” This conversation has 1 message.\n")
    }
  }

  @Test func interruptOnAnEmptyLineAsksBeforeItEnds() async throws {
    try await World.signedIn { world, _ in
      let hint = TerminalStep.sees("Ctrl-D ends the chat, and so does another Ctrl-C.")
      try await world.chappie(
        "chat",
        at: [
          .prompt, .types(TerminalStep.interrupt), hint, .prompt, .types("one\(TerminalStep.enter)"),
          .sees("You said: “one”"), .prompt, .types(TerminalStep.interrupt), hint, .prompt,
          .types("half\(TerminalStep.interrupt)"), .prompt, .types(TerminalStep.interrupt), hint, .prompt,
          .types(TerminalStep.interrupt),
        ]
      ).expect(130)
      #expect(try await world.sandbox.state().requests["responses"] == 1)
    }
  }

  @Test func pastedLinesAreOneMessage() async throws {
    let texts = [
      ("one\r  two\r\rthree", "one\n  two\n\nthree"), ("one\r\ntwo\nthree", "one\ntwo\nthree"),
      ("/etc/passwd\ris what?", "/etc/passwd\nis what?"), ("a\tb\u{1B}[31m\u{7}\rü 你", "a\tb[31m\nü 你"),
    ]
    try await World.signedIn(each: texts) { world, _, text in
      let (pasted, message) = text
      let output = try await world.chat([
        "x\(TerminalStep.pasted(pasted)) enx\u{7F}d\(TerminalStep.start)\u{1B}[3~": "This conversation has 1 message.",
        "\(TerminalStep.up)!": "This conversation has 3 messages.",
      ])
      // The terminal is asked to mark pasted text at the prompt, and nowhere else.
      #expect(output.text.contains("\u{1B}[?2004h"))
      #expect(output.text.components(separatedBy: "\u{1B}[?2004").last?.hasPrefix("l") == true)
      let input = try await world.sandbox.state().lastInput
      #expect(input.last == "user: \(message) end!")
    }
  }

  @Test func aSignalRestoresTheTerminal() async throws {
    try await World.signedIn(each: ["TERM", "HUP"]) { world, _, signal in
      let output = try await world.chappie(
        "chat", at: [.prompt, .types("half"), .sees("half"), .runs("kill -\(signal) $CHILD")])
      #expect(output.text.components(separatedBy: "\u{1B}[?2004").last?.hasPrefix("l") == true)
      #expect(output.status == 130, "\(output.text)")
    }
  }
}
