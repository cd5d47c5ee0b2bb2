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

  private func output(of speeches: [HostileService.Speech], _ arguments: String...) async throws -> Output {
    var output: Output?
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      _ = try await HostileService(world, speeches: speeches)
      output = try await world.chappie(arguments)
    }
    return try #require(output)
  }

  @Test func nonsenseIsNoAnswer() async throws {
    let answers: [(HostileService.Speech, String)] = [
      (.text("Hello!\n"), Self.noAnswer), (.text("[1]\n"), Self.noAnswer), (.text("\n"), Self.noAnswer),
      (.bytes((0...255).map { $0 } + [10]), Self.noAnswer),
      (.text(String(repeating: "[", count: 1 << 20) + "\n"), Self.noAnswer),
      (.text("{\"x\":[\(String(repeating: "0,", count: 1 << 20))0]}\n"), Self.noAnswer),
      (.text(""), Self.ended), (.text(#"{"event":"text-delta","te"#), Self.ended),
      (.text(#"{"event":"else"}"# + "\n"), Self.ended),
      (.text(#"{"event":"text-delta","text":"Half"}"# + "\n"), "Half\n" + Self.ended),
    ]
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      // One in each turn.
      _ = try await HostileService(world, speeches: answers.map { $0.0 })
      try await world.each(answers) { _, text in
        let output = try await world.chappie("ask", "hi")
        #expect(output.text == text)
        #expect(output.status == 1)
      }
    }
  }

  @Test func membersOfOtherTypesAreLeftOut() async throws {
    let completed = #"{"event":"completed","text":5,"model":[],"refusal":"x","input_tokens":-1e300}"# + "\n"
    let output = try await output(of: [.text(completed)], "ask", "--json", "hi")
    #expect(output.text == #"{"text":""}"# + "\n")
    #expect(output.status == 0)
    let failed = #"{"event":"failed","error":[],"status":"429","resets_at":"never"}"# + "\n"
    #expect(try await self.output(of: [.text(failed)], "ask", "hi").status == 1)
  }

  @Test func aLineWithoutEndIsBounded() async throws {
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      let service = try await HostileService(
        world, speeches: [.torrent("{\"event\":\"", String(repeating: "x", count: 1 << 16))])
      let output = try await world.chappie("ask", "hi")
      #expect(output.text == Self.noAnswer)
      #expect(output.status == 1)
      #expect(service.torrentBytes < 64 << 20)
    }
  }

  /// Interrupts are noticed while lines come without a pause.
  @Test func anAnswerWithoutEndCanBeInterrupted() async throws {
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      let dots = String(repeating: #"{"event":"text-delta","text":"."}"# + "\n", count: 1000)
      _ = try await HostileService(
        world, speeches: [.torrent(#"{"event":"text-delta","text":"Begun"}"# + "\n", dots)])
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

  // MARK: A service that ends

  @Test func aServiceThatEndsIsReported() async throws {
    try await World.signedIn { world, _ in
      for isBus in [false, true] {
        try await world.sandbox.stall()
        let ask = try ChildProcess("command", Binaries.chappie, ["ask", "Go on"], in: world.directories)
        try await eventually("an answer") { ask.output.contains(Sandbox.stalledText) }
        if isBus { try await world.bus.kill() } else { world.service.process?.send(SIGKILL) }
        #expect(try await ask.waitForEnd() == .exit(isBus ? 5 : 1))
        let sentence =
          isBus ? "chappie: The session bus is gone: try again in a session.\n" : Self.ended
        #expect(ask.output == "\(Sandbox.stalledText)\n\(sentence)")
        if !isBus { try await world.service.restart() }
      }
      let process = try #require(world.service.process)
      #expect(try await process.waitForEnd() == .exit(69))
      world.service.acceptEnd()
    }
  }

  // MARK: A turn that is opened at the prompt

  @Test func thePromptOpensATurn() async throws {
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      let service = try await HostileService(world)
      async let output = world.chappie(
        "chat", at: [.prompt, .runs("until [ -e opened ]; do sleep 0.01; done"), .types(TerminalStep.end)])
      try await eventually("a turn") { service.turns > 0 }
      try Data().write(to: world.directories.home.appending(path: "opened"))
      #expect(try await output.status == 0)
    }
  }

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
