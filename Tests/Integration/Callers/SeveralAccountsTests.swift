// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Programs use several accounts at the same time without mixing them.
@Suite(.worlds) @GLibActor
struct SeveralAccountsTests {
  private static let users = ["work": "grace@example.com", "home": "ada@example.com"]

  /// A session with a completed sign-in.
  private func signIn(_ account: String, _ caller: Caller, _ world: World) async throws -> ObjectPath {
    let session = try await caller.open("Session", ["keychain_account": account])
    let code = try await caller.startSignIn(at: session)
    try await world.sandbox.decide("approve", code, as: try #require(Self.users[account]))
    try await caller.waitFor("linked", "Session.DeviceLinkState", at: session)
    return session
  }

  /// The account of the last question, as the backend sees it.
  private func lastAsker(_ world: World) async throws -> String? {
    try await world.sandbox.state().lastResponsesRequest.headers["chatgpt-account-id"]
  }

  @Test func accountsStaySeparate() async throws {
    // An open socket outlives its token.
    var plan = World.Plan.attended
    plan.transport = .http
    try await World.with(plan) { world in
      let first = try await world.caller()
      let second = try await world.caller()
      let work = try await signIn("work", first, world)
      let home = try await signIn("home", second, world)
      let workClient = try await first.open("Client", ["keychain_account": "work"])
      let homeClient = try await second.open("Client", ["keychain_account": "home"])
      let alsoHome = try await first.open("Client", ["keychain_account": "home"])
      for round in 0..<4 {
        if round == 2 { try await world.sandbox.expireAccessTokens() }
        #expect(try await first.send("work \(round)", at: workClient).contains("work \(round)"))
        #expect(try await lastAsker(world) == "account-grace-example-com")
        #expect(try await second.send("home \(round)", at: homeClient).contains("home \(round)"))
        #expect(try await lastAsker(world) == "account-ada-example-com")
        #expect(try await first.send("also \(round)", at: alsoHome).contains("also \(round)"))
        #expect(try await lastAsker(world) == "account-ada-example-com")
      }
      // Each token was refreshed once, for all its callers.
      #expect(try await world.sandbox.state().requests["refresh"] == 2)
      for (caller, session, user) in [(first, work, "grace@example.com"), (second, home, "ada@example.com")] {
        let info = try await caller.property("Session.AccountInfo", at: session, as: VariantDictionary.self)
        #expect(info.text("email") == user)
      }

      // One turn waits for its answer while the other account asks.
      try await world.sandbox.stall(times: "1")
      let waiting = try await first.stalledTurn(at: workClient)
      #expect(try await lastAsker(world) == "account-grace-example-com")
      let another = try await first.open("Client", ["keychain_account": "home"])
      #expect(try await first.send("hi", at: another).contains("This conversation has 1 message."))
      #expect(try await lastAsker(world) == "account-ada-example-com")
      let elsewhere = Turn(id: waiting.id, path: another, caller: first)
      try await expectRefusal("NoSuchTurn") { try await elsewhere.snapshot() }
      try await waiting.cancel()
      #expect(try await waiting.end().failure.name == "Cancelled")
      #expect(try await first.send("hi", at: workClient).contains("hi"))
      #expect(try await lastAsker(world) == "account-grace-example-com")

      try await first.call("Session.SignOut", at: work)
      try await expectRefusal("MissingCredential") { try await first.send("hi", at: workClient) }
      #expect(try await second.send("hi", at: homeClient).contains("hi"))
      #expect(try await first.send("hi", at: alsoHome).contains("hi"))
      #expect(try await world.keyring.credentials().keys.sorted() == ["home"])
    }
  }
}
