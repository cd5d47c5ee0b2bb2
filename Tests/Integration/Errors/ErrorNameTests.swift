// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The D-Bus name of each failure of a request, in the caller's error reply and in `Failed`.
///
/// Two names of `ChappieClientError` do not occur here. `MissingRefreshToken` belongs to a stored sign-in without a
/// refresh token; no server's answer leads to one, because a sign-in without it is refused. `ToolApprovalDenied`
/// belongs to programs that have no way to ask the user, and a caller here always has one.
@Suite(.worlds) @GLibActor
struct ErrorNameTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var plan = World.Plan()
    /// The place of the turn, in a world that lets it fail.
    let arrange: @GLibActor @Sendable (World, Caller) async throws -> ObjectPath

    var testDescription: String { name }
  }

  /// A signed-in caller and a scenario.
  private nonisolated static func playing(_ name: String, _ rule: String, tool: String? = nil) -> Case {
    Case(name: name) { world, caller in
      try await caller.signIn()
      if let tool { try await caller.register([Tools.named(tool, timeLimit: 1)]) }
      try await world.sandbox.play(#"[{"endpoint":"responses",\#(rule),"times":"always"}]"#)
      return .chappie
    }
  }

  /// The cases of a list share a world: nobody is signed in before the first, and the last may spoil it.
  nonisolated static let cases = [
    [
      Case(name: "MissingCredential") { _, _ in .chappie },
      Case(name: "ReauthenticationRequired") { world, caller in
        try await caller.signIn()
        try await world.sandbox.revokeRefreshTokens()
        try await world.sandbox.expireAccessTokens()
        return .chappie
      },
      playing(
        "UsageLimitReached",
        #""status":429,"body":{"error":{"type":"usage_limit_reached","resets_at":1893456000}}"#),
      Case(name: "RateLimited") { world, caller in
        try await caller.signIn()
        try await world.sandbox.play(#"[{"endpoint":"responses","status":429,"times":"always"}]"#)
        return try await caller.open("Client", ["rate_limit_backoff": ["max_retries": Int32(0)] as VariantDictionary])
      },
      playing("HTTPError", #""status":400,"body":{"detail":"No."}"#),
      playing("MissingToolHandler", #""tool_calls":[{"name":"fly"}]"#),
      Case(name: "ToolLoopLimitExceeded") { world, caller in
        try await caller.signIn()
        // A call with invalid arguments fails without a handler.
        try await caller.register([Tools.weather])
        try await world.sandbox.callTools(#"[{"name":"weather"}]"#, times: #""always""#)
        return .chappie
      },
      Case(name: "StreamingTransportReplayDiverged") { world, caller in
        try await caller.signIn()
        let dropped = #"{"endpoint":"responses","text":"one two three","drop_after":2}"#
        let other = #"{"endpoint":"responses","text":"eins zwei drei"}"#
        try await world.sandbox.play("[\(dropped),\(other),\(dropped),\(other)]")
        return .chappie
      },
      Case(name: "Locked") { world, caller in
        try await caller.signIn()
        try await world.keyring.lock()
        return .chappie
      },
    ],
    [
      Case(name: "Network") { world, caller in
        try await caller.signIn()
        await world.sandbox.end()
        return .chappie
      }
    ],
    [
      Case(
        name: "MissingAccountID",
        plan: World.Plan(sandboxArguments: ["--auto-approve", "--rate", "0", "--account-id", ""])
      ) { world, caller in
        try await caller.signIn()
        #expect(try await caller.send("hi").contains("hi"))
        try await world.sandbox.play(#"[{"endpoint":"responses","status":403,"times":"always"}]"#)
        return .chappie
      }
    ],
    [Case(name: "KeyringUnavailable", plan: World.Plan(keyring: .none)) { _, _ in .chappie }],
  ]

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

  @Test(arguments: cases)
  func eachFailureHasItsDBusName(_ cases: [Case]) async throws {
    try await World.with(cases[0].plan, each: cases) { world, test in
      let caller = try await world.caller()
      let path = try await test.arrange(world, caller)
      let refused = try await refusal { try await caller.send("go", at: path) }
      #expect(refused.name == test.name)
      let turn = try await caller.stream("go", at: path)
      let failure = try await turn.end().failure
      #expect(failure.name == test.name)
      #expect(failure.message == refused.message)
      #expect(failure.message.hasSuffix("."))
      #expect(turn.endCount == 1)
    }
  }
}
