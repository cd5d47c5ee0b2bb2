// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

@GLibActor
struct FileFilterTests {
  private func run(
    _ script: String, _ input: String = "", limit: Int = 100, deadline: Duration = .seconds(30)
  ) async throws -> FileFilter.Outcome {
    try await FileFilter.run(
      ["sh", "-c", script], input: try .sealed(Array(input.utf8)), outputLimit: limit, deadline: deadline)
  }

  @Test func theInputIsAFileThatNobodyChanges() async throws {
    let outcome = try await run("cat <&0 | tr a-z A-Z; echo x 2>/dev/null >&0 || echo refused >&2", "words")
    #expect(outcome.end == .succeeded)
    #expect(outcome.output == Array("WORDS".utf8))
    #expect(outcome.errors == Array("refused\n".utf8))
  }

  @Test func aProgramThatFailsOrIsMissing() async throws {
    let outcome = try await run("echo part; exit 3")
    #expect(outcome.end == .failed)
    #expect(outcome.output == Array("part\n".utf8))
    await #expect(throws: GLibError.self) {
      try await FileFilter.run(
        ["chappie-no-such-program"], input: try .sealed([]), outputLimit: 1, deadline: .seconds(30))
    }
  }

  @Test func errorsThatNobodyNeedsAreRead() async throws {
    let outcome = try await run("head -c 1000000 /dev/zero >&2; echo end")
    #expect(outcome.end == .succeeded)
    #expect(outcome.output == Array("end\n".utf8))
    #expect(outcome.errors.count == 4096)
  }

  @Test func aLongOutputEndsTheProgram() async throws {
    let outcome = try await run("exec cat /dev/zero", limit: 100_000)
    #expect(outcome.end == .outputTooLong)
    #expect(outcome.output.count == 100_000)
    #expect(try await run("printf 12345", limit: 5).end == .succeeded)
  }

  @Test func theDeadlineEndsTheProgramAndKeepsItsOutput() async throws {
    var output: [UInt8] = []
    // On a busy machine the program may need a part of the time to begin.
    for seconds in [1, 5, 30] where output.isEmpty {
      let outcome = try await run("echo part; exec sleep 600", deadline: .seconds(seconds))
      #expect(outcome.end == .outOfTime)
      output = outcome.output
    }
    #expect(output == Array("part\n".utf8))
  }

  @Test func cancellingEndsTheProgram() async throws {
    let task = Task.onGLib { try await run("exec sleep 600") }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func whatTheProgramStartedElsewhereIsStopped() async throws {
    // The first program leaves its output to another one, as systemd-run does.
    let directory = try TemporaryDirectory()
    let file = directory.path + "/pid"
    for seconds in [1, 5, 30] where !Files.exists(file) {
      let outcome = try await FileFilter.run(
        ["sh", "-c", "sleep 600 & echo $! >'\(file)'; exec sleep 600"], input: try .sealed([]), outputLimit: 10,
        deadline: .seconds(seconds), stop: ["sh", "-c", "kill -KILL $(cat '\(file)')"])
      #expect(outcome.end == .outOfTime)
    }
    #expect(Files.exists(file))
  }
}

@GLibActor
struct SecretFilterTests {
  private func run(_ script: String, _ input: String = "", limit: Int = 100, deadline: Duration = .seconds(30))
    async throws -> SecretFilter.Outcome
  {
    try await SecretFilter.run(
      "sh", ["-c", script], input: SecretBytes(input.utf8), outputLimit: limit, deadline: deadline)
  }

  private func text(_ secret: SecretBytes) -> String {
    secret.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test func returnsTheProgramsOutput() async throws {
    let outcome = try await run("tr a-z A-Z; echo one >&2; echo two >&2", "secret")
    #expect(outcome.succeeded)
    #expect(text(outcome.output) == "SECRET")
    #expect(outcome.errorMessage == "two")
  }

  @Test func reportsAFailedProgram() async throws {
    let outcome = try await run("cat; exit 3", "part")
    #expect(!outcome.succeeded)
    #expect(text(outcome.output) == "part")
    #expect(outcome.errorMessage == "no reason given")
  }

  @Test func throwsForOutputAboveTheLimit() async throws {
    #expect(try await text(run("printf 12345", limit: 5).output) == "12345")
    await #expect(throws: GLibError.self) { try await run("printf 123456", limit: 5) }
    // The call does not wait for the program's end either.
    await #expect(throws: GLibError.self) { try await run("exec cat /dev/zero", limit: 5) }
  }

  @Test func killsTheProgramAfterTheDeadline() async throws {
    await #expect(throws: GLibError.timedOut) {
      try await run("exec sleep 600", deadline: .milliseconds(200))
    }
  }
}
