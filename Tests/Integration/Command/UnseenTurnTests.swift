// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// A monitor of the bus reads no question and no answer of the command.
@Suite(.worlds) @GLibActor
struct UnseenTurnTests {
  @Test func noWordOfAQuestionPassesTheBus() async throws {
    try await World.signedIn { world, _ in
      let capture = try await BusCapture(world.directories)
      for options in [[], ["--continue"], ["--json"], ["--thread", "new"], ["--thread", "last"], ["--fast"]] {
        let output = try await world.chappie(["ask"] + options + ["Where does the platypus live?"])
        #expect(output.text.contains("You said: “Where does the platypus live?”"), "\(options): \(output.text)")
      }
      let piped = try await world.chappie("ask", "Hidden", "-", input: "platypus")
      #expect(piped.text.contains("platypus"))
      let image = try await world.shell(#"printf '\211PNG\r\n\032\n' | "$0" ask --image - "A platypus?""#)
      #expect(image.text.contains("It came with 1 image."))
      try await capture.end()
      try Self.expectSecrecy(of: capture)
      #expect(try capture.occurrences(of: "iVBORw0KGgo") == 0)
    }
  }

  @Test func noWordOfAChatPassesTheBus() async throws {
    try await World.signedIn { world, _ in
      let capture = try await BusCapture(world.directories)
      for arguments in [["chat"], ["chat", "--thread", "new"]] {
        let output = try await world.chappie(
          arguments,
          at: [
            .prompt, .types("A platypus?\(TerminalStep.enter)"), .sees("You said: “A platypus?”"), .prompt,
            .types("Another platypus?\(TerminalStep.enter)"), .sees("You said: “Another platypus?”"), .prompt,
            .types(TerminalStep.end),
          ])
        #expect(output.status == 0, "\(output.text)")
      }
      let piped = try await world.chappie("chat", input: "A platypus?\n")
      #expect(piped.text.contains("You said: “A platypus?”"))
      try await capture.end()
      try Self.expectSecrecy(of: capture)
    }
  }

  private static func expectSecrecy(of capture: BusCapture) throws {
    for word in ["platypus", "You said", "This conversation"] { #expect(try capture.occurrences(of: word) == 0) }
    #expect(try capture.occurrences(of: "OpenTurn") > 0)
  }
}
