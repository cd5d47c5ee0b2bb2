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

  @Test func aFullDiskAndAClosedOutputAreReported() async throws {
    try await World.signedIn { world, _ in
      _ = try await world.beginThread("one")
      for (output, reason) in [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
        for line in Self.lines {
          let failed = try await world.shell(#""$0" \#(line) \#(output)"#)
          #expect(failed.status == 1, "\(line)")
          #expect(failed.text == "chappie: Standard output cannot be written: \(reason).\n", "\(line)")
        }
      }
      #expect(try await world.shell(#"echo one | "$0" chat >/dev/full"#).status == 1)
      // Output goes to no file that is opened later under the closed descriptor's number.
      try await world.shell(#""$0" threads show nonsense >&- 2>&-"#).expect(1, only: "")
      // An error's own status stays.
      #expect(try await world.shell(#""$0" >/dev/full"#).status == 2)
      // A reader that stops is no failure.
      _ = try await world.chappie("ask", "--thread", "new", input: String(repeating: "river ", count: 100_000))
      let stopped = try await world.shell(
        #"{ "$0" threads export last; echo "ended with $?" >&2; } | head -c 10 >/dev/null"#)
      #expect(stopped.text == "ended with 0\n")
    }
  }
}

extension World {
  /// Runs a line of a shell, for which `$0` is `chappie`.
  func shell(_ line: String) async throws -> Output {
    try await Output.of("/bin/sh", ["-c", line, Binaries.chappie], in: directories)
  }
}
