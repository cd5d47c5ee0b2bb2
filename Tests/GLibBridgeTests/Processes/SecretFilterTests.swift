// SPDX-License-Identifier: Apache-2.0
import SecretMemory
import Testing

@testable import GLibBridge

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

  @Test func reportsAFailedOrMissingProgram() async throws {
    let outcome = try await run("cat; exit 3", "part")
    #expect(!outcome.succeeded)
    #expect(text(outcome.output) == "part")
    #expect(outcome.errorMessage == "no reason given")
    await #expect(throws: GLibError.self) {
      try await SecretFilter.run(
        "chappie-no-such-program", [], input: SecretBytes([]), outputLimit: 1, deadline: .seconds(30))
    }
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
