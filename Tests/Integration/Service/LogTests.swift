// SPDX-License-Identifier: Apache-2.0

/// The service logs the reasons of failures, and nothing personal.
@Suite(.worlds) @GLibActor
struct LogTests {
  private static let debugging = ["G_MESSAGES_DEBUG": "chappie"]

  /// The lines of the service's log so far, without GLib's prefixes.
  private func lines(_ world: World) -> [String] {
    let log = world.service.process?.output ?? ""
    return log.split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/chappie-\w+: [\d:.]+: (.*)/#).map { String($0.1) }
    }
  }

  /// Waits until the log has `expected` in this order, each as the beginning of a line.
  private func expect(_ world: World, _ expected: String...) async throws {
    try await eventually("the log with \(expected); it has \(lines(world))") {
      var rest = lines(world)[...]
      return expected.allSatisfy { line in
        guard let index = rest.firstIndex(where: { $0.hasPrefix(line) }) else { return false }
        rest = rest[(index + 1)...]
        return true
      }
    }
  }

  /// Expects that the log contains no personal data, no credential and none of `texts`.
  private func expectNothingPersonal(_ world: World, _ texts: String...) {
    let log = world.service.process?.output ?? ""
    for text in texts + ["ada@example.com", "ada?example.com", "authorization", "Bearer", Leaks.marker, "You said"] {
      #expect(!log.localizedCaseInsensitiveContains(text), "\(text) is in the log")
    }
  }

  @Test func logsStartEndAndEachStateOfASignInAndOfTheLock() async throws {
    let (world, caller) = try await World.signedIn(World.Plan(configuration: "[Notifications]\nEnabled=false\n"))
    try await caller.call("Session.SignOut")
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    try await caller.waitFor(Lock("unlocked", [saver.name, "keyring"]))
    saver.setActive(true)
    try await expect(
      world, "The lock state is unlocked, according to ", "The lock state is locked, according to \(saver.name).")
    let process = try #require(world.service.process)
    await world.service.end()
    let log = process.output
    let file = world.directories.home.path + "/.config/chappie/chappie.conf"
    for line in [
      " starts, configured by --issuer, --backend, \(file).\n",
      ": The lock state is unknown: no source tells whether the screen is locked.\n",
      ": The sign-in state changes from restoring to signed-out: the keyring holds no credential.\n",
      ": The sign-in state changes from signed-out to signing-in: a sign-in has begun.\n",
      ": The sign-in state changes from signing-in to signed-in: the sign-in has succeeded.\n",
      ": The sign-in state changes from signed-in to signed-out: signed out here.\n",
      " ends: a signal asks it to.\n",
    ] { #expect(log.contains(line), "\(line) is not in \(log)") }
  }

  @Test func logsRetriesAndRefreshes() async throws {
    let (world, caller) = try await World.signedIn(.http)
    try await world.sandbox.play(
      #"[{"endpoint":"responses","status":503,"body":{"detail":"dear Ada"},"headers":{"retry-after":"0"}}]"#)
    _ = try await caller.send("a secret question")
    try await expect(world, "A request is sent again in 0 ms: the backend answered with status 503.")
    try await world.sandbox.expireAccessTokens()
    _ = try await caller.send("a secret question")
    try await expect(
      world, "A refresh begins: the backend does not take the access token.",
      "The sign-in was renewed, and is stored.")
    try await world.sandbox.expireAccessTokens()
    try await world.sandbox.play(
      #"[{"endpoint":"refresh","status":400,"body":{"error":"invalid_grant","error_description":"dear Ada"}}]"#)
    _ = try await refusal { try await caller.send("a secret question") }
    try await expect(
      world, "A refresh begins: the backend does not take the access token.",
      "The refresh was refused: the sign-in server refused with status 400. The sign-in is kept",
      "The sign-in state changes from signed-in to reauthentication-required: the sign-in server refused")
    expectNothingPersonal(world, "secret question", "dear Ada")
    #expect(!lines(world).contains { $0.hasPrefix("POST") || $0.hasPrefix("GET") }, "debugging is off")
  }

  @Test func logsTheFallbackFromWebSocketToHTTP() async throws {
    let plan = World.Plan(sandboxArguments: ["--auto-approve", "--rate", "0", "--no-websocket"])
    let (world, caller) = try await World.signedIn(plan)
    _ = try await caller.send("a secret question")
    try await expect(
      world, "Requests go over HTTP for ten minutes, without a WebSocket: the backend answered with status 426.")
    expectNothingPersonal(world, "secret question")
  }

  @Test(.sandboxes) func logsARefusedCallerOnce() async throws {
    let world = try await World.begin()
    let sandbox = AppSandbox(.none, in: world.directories)
    let caller = try await sandbox.caller(in: world)
    for _ in 0..<3 { _ = try await refusal { try await caller.send("a secret question") } }
    try await expect(world, "The caller :")
    let refusals = lines(world).filter { $0.contains(" is refused: it runs in a user namespace of its own") }
    #expect(refusals.count == 1)
    expectNothingPersonal(world, "secret question")
  }

  @Test func logsEachRequestAndTheCountsOfEachTurnIfDebuggingIsOn() async throws {
    let (world, caller) = try await World.signedIn(World.Plan(environment: Self.debugging))
    try await world.sandbox.play(
      #"[{"endpoint":"responses","status":429,"headers":{"x-request-id":"req_0123abc","retry-after":"0"}}]"#)
    let policy: VariantDictionary = ["prefers_web_socket": false]
    let client = try await caller.open("Client", ["streaming_transport_policy": policy])
    _ = try await caller.send("a secret question", at: client)
    _ = try await caller.send("another one")
    try await expect(
      world, "POST 127.0.0.1/oauth/token: status 200 after ",
      "POST 127.0.0.1/backend-api/codex/responses: status 429 after ",
      "POST 127.0.0.1/backend-api/codex/responses: status 200 after ",
      "GET 127.0.0.1/backend-api/codex/responses: status 101 after ")
    #expect(lines(world).contains { $0.hasSuffix(", request id req_0123abc.") })
    for turn in [
      #/^Turn \S+ of :\d\S+ completed after .*: gpt-\S+ over HTTP, \d requests, \d+ deltas/#,
      #/^Turn \S+ of :\d\S+ completed after .*: gpt-\S+ over a WebSocket, \d requests, \d+ deltas/#,
    ] {
      try await eventually("the turn's line; the log has \(lines(world))") {
        lines(world).contains { $0.contains(turn) }
      }
    }
    expectNothingPersonal(world, "secret question", "another one")
  }
}
