// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Names of failures that depend on the issuer and the keyring.
@Suite(.worlds) @GLibActor
struct ErrorNameTests {
  /// The two errors that a Swift program meets only with a real keyring or with none.
  @Test(arguments: [World.Plan.KeyringPlan.unlocked, .none])
  func keyringErrorsReachASwiftProgram(_ keyring: World.Plan.KeyringPlan) async throws {
    try await World.with(World.Plan(keyring: keyring)) { world in
      if keyring == .unlocked {
        try await world.caller().signIn()
        try await world.keyring.lock()
      }
      let program = try world.startLibraryHost("hi")
      #expect(try await program.waitForEnd() == .exit(1))
      #expect(program.output.hasPrefix(keyring == .none ? "The keyring cannot be used" : "The keyring is locked"))
    }
  }

  @Test func aRefusalOfASignInWithoutAnAccountHasItsName() async throws {
    let plan = World.Plan(sandboxArguments: ["--auto-approve", "--rate", "0", "--account-id", ""])
    try await World.signedIn(plan) { world, caller in
      #expect(try await caller.send("hi").contains("hi"))
      try await world.sandbox.play(#"[{"endpoint":"responses","status":403,"times":"always"}]"#)
      let refused = try await refusal { try await caller.send("go") }
      #expect(refused.name == "MissingAccountID")
      #expect(refused.message.hasSuffix("."))
      let turn = try await caller.stream("go")
      let failure = try await turn.end().failure
      #expect(failure.name == "MissingAccountID")
      #expect(failure.message == refused.message)
      #expect(turn.endCount == 1)
    }
  }
}
