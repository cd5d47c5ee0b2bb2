// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Output that cannot be written is a failure.
@Suite(.worlds) @GLibActor
struct OutputFailureTests {
  private static let lines = [
    "--version", "--help", "threads --help", "threads", "threads --json", "threads show last", "threads export last",
    "threads usage", "ask Hello", "ask --json Hello", "monitor",
  ]

  @Test func aFullDiskIsReported() async throws {
    try await World.signedIn { world, _ in
      _ = try await world.beginThread("one")
      for line in Self.lines {
        let output = try await world.shell(#""$0" \#(line) >/dev/full"#)
        #expect(output.status == 1, "\(line)")
        #expect(
          output.text == "chappie: Standard output cannot be written: No space left on device.\n", "\(line)")
      }
      let chat = try await world.shell(#"echo one | "$0" chat >/dev/full"#)
      #expect(chat.status == 1)
    }
  }

  /// Output goes to no file that is opened later under the closed descriptor's number.
  @Test func aClosedOutputIsReported() async throws {
    try await World.signedIn { world, _ in
      _ = try await world.beginThread("one")
      for line in Self.lines {
        let output = try await world.shell(#""$0" \#(line) >&-"#)
        #expect(output.status == 1, "\(line)")
        #expect(output.text == "chappie: Standard output cannot be written: Bad file descriptor.\n", "\(line)")
      }
      let quiet = try await world.shell(#""$0" threads show nonsense >&- 2>&-"#)
      #expect(quiet.status == 1)
      #expect(quiet.text == "")
      // An error's own status stays.
      #expect(try await world.shell(#""$0" >/dev/full"#).status == 2)
    }
  }

  @Test func aReaderThatStopsIsNotAFailure() async throws {
    try await World.signedIn { world, _ in
      _ = try await world.chappie("ask", "--thread", "new", input: String(repeating: "river ", count: 100_000))
      let output = try await world.shell(
        #"{ "$0" threads export last; echo "ended with $?" >&2; } | head -c 10 >/dev/null"#)
      #expect(output.text == "ended with 0\n")
    }
  }
}

extension World {
  /// Runs a line of a shell, for which `$0` is `chappie`.
  func shell(_ line: String) async throws -> Output {
    try await Output.of("/bin/sh", ["-c", line, Binaries.chappie], in: directories)
  }
}
