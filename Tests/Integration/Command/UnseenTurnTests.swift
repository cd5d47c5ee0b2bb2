// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A monitor of the bus reads no question and no answer of the command.
@Suite(.worlds) @GLibActor
struct UnseenTurnTests {
  @Test func noWordOfAQuestionOrAChatPassesTheBus() async throws {
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
      for arguments in [[], ["--thread", "new"]] {
        try await world.chat(
          ["A platypus?": "You said: “A platypus?”", "Another platypus?": "You said: “Another platypus?”"],
          with: arguments)
      }
      #expect(try await world.chappie("chat", input: "A platypus?\n").text.contains("You said: “A platypus?”"))
      try await capture.end()
      for word in ["platypus", "You said", "This conversation", "iVBORw0KGgo"] {
        #expect(try capture.occurrences(of: word) == 0, "\(word)")
      }
      #expect(try capture.occurrences(of: "OpenTurn") > 0)
    }
  }
}
