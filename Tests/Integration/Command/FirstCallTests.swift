// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import Testing

/// The first call of a session: the command starts the service.
@Suite(.worlds) @GLibActor
struct FirstCallTests {
  @Test func signInWaitsForTheServiceThatItStarts() async throws {
    var plan = World.Plan.attended
    plan.service = .activatable
    try await World.with(plan) { world in
      let signIn = try ChildProcess(
        "command", Binaries.chappie, ["sign-in", "--device-code", "--no-open"], in: world.directories)
      try await eventually("a code") { signIn.output.contains("Enter") }
      let code = try #require(signIn.output.firstMatch(of: /Enter +(\S+)/)).1
      try await world.sandbox.decide("approve", String(code))
      #expect(try await signIn.waitForEnd() == .exit(0), "\(signIn.output)")
      #expect(signIn.output.contains("Signed in as ada@example.com"))
    }
  }

  @Test func anAnswerOfTheServiceThatItStartsIsPrinted() async throws {
    try await World.signedIn(.activatable) { world, caller in
      kill(try await caller.connection.processID(of: "org.chappie"), SIGKILL)
      try await eventually("the end of the service") { try await caller.connection.owner(of: "org.chappie") == nil }
      let answer = try await world.chappie("ask", "--continue", "hello")
      #expect(answer.status == 0, "\(answer.text)")
      #expect(answer.text.contains("You said: “hello”"))
    }
  }
}
