// SPDX-License-Identifier: Apache-2.0

/// Times that a hostile sign-in server names, and answers that lack some.
@Suite(.worlds) @GLibActor
struct TokenTimeTests {
  /// Numbers that no time is, and times that are far away.
  private nonisolated static let extremes = [
    "-9223372036854775808", "9.223372036854774784e21", "0", "1e400", "253402300799.5", "null", "\"soon\"",
  ]

  private static func token(expiringAt time: String) -> String {
    let parts = [#"{"alg":"none"}"#, "{\"exp\":\(time)}", "signature"].map { text in
      Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    return parts.joined(separator: ".")
  }

  private func survives(_ caller: Caller, _ world: World, _ time: String) async throws {
    for _ in 0..<2 {
      #expect(try await caller.send("hi").contains("hi"), "\(time)")
      #expect(try await caller.state() == "signed-in", "\(time)")
      try await world.service.restart()
    }
  }

  @Test func aClaimedTimeEndsNothing() async throws {
    try await World.with(each: Self.extremes) { world, time in
      try await world.sandbox.play(
        #"[{"endpoint":"token","members":{"access_token":"\#(Self.token(expiringAt: time))"}}]"#)
      try await survives(try await world.signedInCaller(), world, time)
    }
  }

  @Test func theEarliestTimeEndsNothing() async throws {
    try await World.with(.browser(), each: Self.extremes) { world, time in
      try await world.setTokenLifetime(1)
      let members = #""members":{"earliest_refresh_at":\#(time.hasPrefix("1e4") ? "1e308" : time)}"#
      try await world.sandbox.play(
        """
        [{"endpoint":"browser-token","headers":{"date":"Thu, 01 Jan 1970 00:00:00 GMT"},\(members)},
         {"endpoint":"browser-refresh",\(members)}]
        """)
      let caller = try await world.callerSignedInInBrowser()
      try await world.setTokenLifetime(3600)
      try await survives(caller, world, time)
    }
  }

  // MARK: Answers that lack something

  @Test func aRenewalWithoutALifetimeIsStored() async throws {
    let answers = [#"{"expires_in":null}"#, #"{"expires_in":1e300}"#, #"{"token_type":null}"#]
    try await World.with(.browser(), each: answers) { world, members in
      try await world.setTokenLifetime(1)
      let caller = try await world.callerSignedInInBrowser()
      try await world.setTokenLifetime(3600)
      try await world.sandbox.expireAccessTokens()
      try await world.sandbox.play("[{\"endpoint\":\"browser-refresh\",\"members\":\(members)}]")
      #expect(try await caller.send("hi").contains("hi"))
      try await survives(caller, world, members)
      #expect(try await world.sandbox.state().requests["browser-refresh"] == 1)
    }
  }

  /// The old refresh token stays in force (RFC 6749, section 6). The stand-in takes it no more.
  @Test func aRenewalWithoutARefreshTokenKeepsTheOldOne() async throws {
    let world = try await World.begin(.browser(["--access-token-lifetime", "1"]))
    let caller = try await world.callerSignedInInBrowser()
    try await world.setTokenLifetime(3600)
    try await world.sandbox.play(
      #"[{"endpoint":"browser-refresh","members":{"refresh_token":null,"earliest_refresh_at":null}}]"#)
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await caller.state() == "signed-in")
    try await world.sandbox.expireAccessTokens()
    try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
    #expect(try await world.sandbox.state().requests["browser-refresh"] == 2)
  }
}
