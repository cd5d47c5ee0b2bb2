// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// The threads of a signed-out account stay available.
@Suite(.worlds) @GLibActor
struct SignedOutAccountTests {
  @Test func verbsWithoutAModelWorkSignedOut() async throws {
    try await World.signedIn { world, caller in
      let work = try await caller.signIn(account: "work")
      for text in ["one", "two"] {
        _ = try await world.chappie("ask", "--thread", "new", "--account", "work", text)
      }
      #expect(try await world.chappie("sign-out", "--account", "work").status == 0)
      try await caller.call("Manager.Close", work)
      try await eventually("the account to be removed") {
        try await world.chappie("ask", "--account", "work", "--thread", "last", "three").status == 3
      }
      try await world.chappie("threads", "--account", "work").expect(0, "  one  ")
      for (line, expected) in [
        (["usage"], "2 threads"), (["show", "last"], "You said"), (["export", "last"], "\"events\""),
        (["rename", "last", "Three"], "“Three”"), (["archive", "last"], "Archived “Three”."),
        (["unarchive", "last"], "Unarchived “Three”."), (["compact", "last", "Counted."], "reads a summary"),
        (["delete", "--yes", "last"], "Deleted “Three”."),
      ] {
        let output = try await world.chappie(["threads", line[0], "--account", "work"] + line.dropFirst())
        #expect(output.status == 0, "\(line): \(output.text)")
        #expect(output.text.contains(expected), "\(line): \(output.text)")
      }
      // These verbs ask a model.
      for line in [
        ["threads", "compact", "--account", "work", "last"], ["chat", "--account", "work", "--thread", "last"],
      ] {
        let output = try await world.chappie(line)
        #expect(output.status == 3, "\(line): \(output.text)")
        #expect(output.text.contains("chappie sign-in --account work"), "\(line): \(output.text)")
      }
      _ = try await world.chappie("threads", "delete", "--account", "work", "--yes", "last")
      #expect(try await world.chappie("threads", "--account", "work").status == 3)
    }
  }
}
