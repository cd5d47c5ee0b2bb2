// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Glibc
import Testing

/// A service that answers on the socket of a turn with anything but an answer. The command ends with a sentence.
@Suite(.worlds) @GLibActor
struct HostileTurnTests {
  private nonisolated static let noAnswer =
    "chappie: The service answered with something that is no answer: see journalctl --user -u chappie.\n"
  private nonisolated static let ended =
    "chappie: The service ended before it answered: try again, and see journalctl --user -u chappie.\n"

  @Test func nonsenseIsNoAnswer() async throws {
    let answers: [(HostileService.Speech, String)] = [
      (.text("Hello!\n"), Self.noAnswer), (.text("[1]\n"), Self.noAnswer), (.text("\n"), Self.noAnswer),
      (.bytes((0...255).map { $0 } + [10]), Self.noAnswer),
      (.text(String(repeating: "[", count: 1 << 20) + "\n"), Self.noAnswer),
      (.text("{\"x\":[\(String(repeating: "0,", count: 1 << 20))0]}\n"), Self.noAnswer),
      (.text(""), Self.ended), (.text(#"{"event":"text-delta","te"#), Self.ended),
      (.text(#"{"event":"else"}"# + "\n"), Self.ended),
      (.text(#"{"event":"text-delta","text":"Half"}"# + "\n"), "Half\n" + Self.ended),
      // A line without an end is bounded.
      (.torrent("{\"event\":\"", String(repeating: "x", count: 1 << 16)), Self.noAnswer),
    ]
    // Members of other types are left out.
    let completed = #"{"event":"completed","text":5,"model":[],"refusal":"x","input_tokens":-1e300}"# + "\n"
    let failed = #"{"event":"failed","error":[],"status":"429","resets_at":"never"}"# + "\n"
    let endless = HostileService.Speech.torrent(
      #"{"event":"text-delta","text":"Begun"}"# + "\n",
      String(repeating: #"{"event":"text-delta","text":"."}"# + "\n", count: 1000))
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      // One in each turn.
      let service = try await HostileService(
        world, speeches: answers.map { $0.0 } + [.text(completed), .text(failed), endless])
      try await world.each(answers) { _, text in
        try await world.chappie("ask", "hi").expect(1, only: text)
      }
      #expect(service.torrentBytes < 64 << 20)
      try await world.chappie("ask", "--json", "hi").expect(only: #"{"text":""}"# + "\n")
      #expect(try await world.chappie("ask", "hi").status == 1)
      // Interrupts are noticed while lines come without a pause.
      let process = try ChildProcess("command", Binaries.chappie, ["ask", "hi"], in: world.directories)
      try await eventually("an answer") { process.output.contains("Begun...") }
      process.send(SIGINT)
      #expect(try await process.waitForEnd() == .exit(130))
      #expect(process.output.hasSuffix(".\nchappie: Cancelled.\n"))
    }
  }

  @Test func anOlderServiceIsNamed() async throws {
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      _ = try await HostileService(world, speeches: [])
      for line in [["ask", "hi"], ["ask", "--thread", "new", "hi"]] {
        let output = try await world.chappie(line)
        #expect(output.text.hasPrefix("chappie: The service that runs is older than this command: "))
        #expect(output.status == 1)
      }
    }
  }

  // MARK: A turn that is opened at the prompt

  @Test func aTurnThatEndedAtThePromptIsReplaced() async throws {
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      let service = try await HostileService(
        world,
        speeches: [
          .text(#"{"event":"failed","error":"org.chappie.Error.Cancelled","message":"Too late."}"# + "\n"),
          .text(#"{"event":"text-delta","text":"A later answer"}"# + "\n" + #"{"event":"completed"}"# + "\n"),
        ])
      async let output = world.chappie(
        "chat",
        at: [
          .prompt, .runs("until [ -e opened ]; do sleep 0.01; done"), .types("hi\(TerminalStep.enter)"),
          .sees("A later answer"), .prompt, .types(TerminalStep.end),
        ])
      try await eventually("a turn") { service.turns > 0 }
      try Data().write(to: world.directories.home.appending(path: "opened"))
      #expect(try await output.status == 0)
    }
  }
}
