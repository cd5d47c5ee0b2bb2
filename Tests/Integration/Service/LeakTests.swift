// SPDX-License-Identifier: Apache-2.0

/// No token reaches the bus, a log, a file or an error.
@Suite(.worlds) @GLibActor
struct LeakTests {
  /// A service with the most detailed log.
  private func talkative(_ transport: World.Plan.Transport = .webSocket) -> World.Plan {
    World.Plan(transport: transport, environment: ["G_MESSAGES_DEBUG": "all", "G_DBUS_DEBUG": "message"])
  }

  /// A search that finds nothing proves something only if it finds a planted token.
  @Test func theSearchFindsPlantedTokens() async throws {
    let world = try await World.begin(talkative())
    let capture = try await BusCapture(world.directories)
    let caller = try await world.signedInCaller()
    #expect(try world.leaks().isEmpty)

    try caller.connection.emit(.root, "org.chappie.Tests", "Leak", .tuple("Bearer x.y.\(Leaks.marker)-1"))
    try await capture.end()
    let encoded = Data("xx\(Leaks.marker)".utf8).base64EncodedString()
    for text in [Leaks.marker, encoded] { _ = try await world.run("echo", text) }
    let head = Data(#"{"alg":"RS256","typ":"JWT","kid":"sandbox"}"#.utf8).base64EncodedString()
    try head.write(to: world.directories.home.appending(path: ".leak"), atomically: true, encoding: .utf8)
    let found = try world.leaks()
    #expect(found.count == 4, "\(found)")
    #expect(found.contains { $0.contains("bus-capture") && $0.hasSuffix("the marker") })
    #expect(found.contains { $0.contains("echo") && $0.hasSuffix("the marker") })
    #expect(found.contains { $0.contains("echo") && $0.hasSuffix("the marker in base64") })
    #expect(found.contains("home/.leak: the head of a token"))
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aLongDayLeavesNoToken(over transport: World.Plan.Transport) async throws {
    try await World.withoutLeaks(talkative(transport)) { world, caller in
      try await caller.signIn()
      try await caller.signIn(account: "work")
      _ = try await caller.send("hi")
      _ = try await caller.stream("hi", ["broadcast": true, "continue": true]).end()
      try await world.sandbox.expireAccessTokens()
      _ = try await caller.send("after a refresh", ["continue": true])
      try await world.sandbox.play(#"[{"endpoint":"responses","status":401,"times":"always"}]"#)
      _ = try? await caller.send("refused")
      for status in [401, 403] {
        try await world.sandbox.play(#"[{"endpoint":"handshake","status":\#(status)}]"#)
        _ = try? await caller.send("refused a socket", at: caller.open("Client"))
      }
      try await world.sandbox.play(#"[{"endpoint":"refresh","status":500},{"endpoint":"refresh","raw":"<html>"}]"#)
      try await world.sandbox.expireAccessTokens()
      for _ in 0..<3 { _ = try? await caller.send("a refresh that fails") }
      try await world.keyring.lock()
      _ = try? await caller.send("locked")
      try await world.keyring.unlock()
      try await world.service.restart()
      _ = try await caller.send("after a restart")
      try await world.sandbox.revokeRefreshTokens()
      try await world.sandbox.expireAccessTokens()
      _ = try? await caller.send("revoked")
      try await caller.signIn()
      try await caller.call("Session.SignOut")
      // The replaced sign-in's token, and the new one's.
      try await eventually("both revocations") { try await world.sandbox.state().requests["revoke"] == 2 }
    }
  }

  /// A monitor of the bus sees that an item is stored, and not its content.
  @Test func theKeyringSessionIsEncrypted() async throws {
    let world = try await World.begin()
    let capture = try await BusCapture(world.directories)
    let caller = try await world.signedInCaller()
    try await world.service.restart()
    _ = try await caller.send("hi")
    try await capture.end()
    let places = try world.directories.files().filter { $0.key.contains("bus-capture") }
    let bytes = try #require(places.first?.value)
    #expect(bytes.contains("org.chappie.Credential"))
    #expect(bytes.contains("dh-ietf1024-sha256-aes128-cbc-pkcs7"))
    // The first bytes of a sealed credential.
    #expect(!bytes.contains("chappie2:"))
  }

  // MARK: Servers that repeat tokens

  /// The tokens of a sign-in that the test makes up, so that a server can repeat them.
  private let access =
    "eyJhbGciOiJSUzI1NiJ9.eyJleHAiOjQxMDI0NDQ4MDB9.\(Leaks.marker)-access-0123456789-abcdefghijklmnopqrstuvwxyz"
  private let refresh = "rt-\(Leaks.marker)-refresh-0123456789-abcdefghijklmnopqrstuvwxyz"

  /// Bodies that repeat `token`, as JSON in a rule.
  private func bodies(_ token: String) -> [String] {
    // The text is truncated at some point, and a part of a token must not pass either.
    let cut = (0..<8).map { "\"\(prose(960 + $0 * 5)) '\(token)'\"" }
    let short = (0..<8).map { "\"\(prose(250 + $0 * 6)) \(token)\"" }
    return [
      #"{"error":{"message":"The token \#(token) is bad.","code":"bad"}}"#, #"{"error":"\#(token)"}"#,
      #"{"error":"bad","error_description":"'\#(token)' is bad"}"#, #"{"error":{"code":"\#(token)"}}"#,
      #"{"detail":"Authorization: Bearer \#(token)"}"#, #"{"detail":"token=\#(token)&x"}"#,
      #""<p>\#(token)</p>""#, #""{\"access_token\": \"\#(token)\", \"refresh_token\": \"\#(token)\"""#,
    ] + cut + short
  }

  private func prose(_ count: Int) -> String {
    String(String(repeating: "a long story ", count: count / 12).prefix(count))
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func tokensInABackendsErrorAreRemoved(over transport: World.Plan.Transport) async throws {
    try await World.withoutLeaks(talkative(transport)) { world, caller in
      // A handshake succeeds only with tokens that the stand-in issued.
      if transport == .http { try await signInWithKnownTokens(world, caller) } else { try await caller.signIn() }
      for token in [access, refresh] {
        for (index, body) in bodies(token).enumerated() {
          let status = [400, 403, 429, 500][index % 4]
          try await world.sandbox.play(
            """
            [{"endpoint":"responses","status":\(status),"body":\(body),"headers":{"retry-after":"0"},
              "times":"always"}]
            """)
          let client = try await caller.open("Client", transport.impatient)
          _ = try await refusal { try await caller.send("hi", at: client) }
          try await caller.call("Manager.Close", client)
        }
      }
    }
  }

  @Test func tokensInAnIssuersErrorAreRemoved() async throws {
    try await World.withoutLeaks(talkative()) { world, _ in
      let server = try await NotificationServer(world)
      world.keep(server)
      for token in [access, refresh] {
        // One program may start only so many sign-ins at once.
        let caller = try await world.otherProgram()
        for (index, body) in bodies(token).enumerated() {
          for endpoint in index < 8 ? ["usercode", "poll", "token"] : ["token"] {
            try await world.sandbox.play(#"[{"endpoint":"\#(endpoint)","status":400,"body":\#(body)}]"#)
            _ = try? await caller.startSignIn()
            try await caller.waitFor("failed", "Session.DeviceLinkState")
            _ = try await caller.lastError()
            // A sign-in that fails before it has a code shows nothing.
            guard endpoint != "usercode" else { continue }
            try await eventually("the failure on the desktop") {
              server.received.last?.summary == "The sign-in to ChatGPT failed"
            }
          }
        }
        for body in bodies(token).prefix(8) {
          try await signInWithKnownTokens(world, caller)
          let rejected = #"{"endpoint":"responses","status":401,"body":\#(body),"times":"always"}"#
          for status in [500, 401] {
            try await world.sandbox.play(#"[\#(rejected),{"endpoint":"refresh","status":\#(status),"body":\#(body)}]"#)
            _ = try await refusal { try await caller.send("hi") }
            _ = try await caller.lastError()
          }
          try await world.sandbox.play(#"[{"endpoint":"revoke","status":400,"body":\#(body)}]"#)
          try await caller.call("Session.SignOut")
        }
      }
    }
  }

  /// Signs in with tokens that the stand-in does not know, and that are not refreshed before use.
  private func signInWithKnownTokens(_ world: World, _ caller: Caller) async throws {
    let tokens = json(["access_token": access, "id_token": access, "refresh_token": refresh])
    try await world.sandbox.play(#"[{"endpoint":"token","body":\#(tokens)}]"#)
    try await caller.signIn()
  }
}
