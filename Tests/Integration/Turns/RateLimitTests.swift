// SPDX-License-Identifier: Apache-2.0

/// HTTP 429: waiting, retrying, giving up.
@Suite(.worlds) @GLibActor
struct RateLimitTests {
  private let greedy: VariantDictionary = [
    "max_retries": Int32.max, "initial_delay": 0.0, "maximum_delay": 0.0, "respects_retry_after_header": false,
  ]

  @Test(arguments: World.Plan.Transport.allCases)
  func noCallerOverrulesTheServersRetryAfter(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let client = try await caller.open("Client", ["rate_limit_backoff": greedy])
    try await world.sandbox.play(
      #"[{"endpoint":"responses","status":429,"headers":{"retry-after":"60"},"times":"always"}]"#)
    let turn = try await caller.stream("hi", at: client)
    try await eventually("the refusal") { try await world.sandbox.state().requests["responses"] ?? 0 >= 1 }
    // Without a delay, each of these calls takes longer than a request of the turn.
    for _ in 0..<50 { _ = try await world.sandbox.state() }
    #expect(try await world.sandbox.state().requests["responses"] == 1)
    try await turn.cancel()
    #expect(try await turn.end().failure.name == "Cancelled")
  }

  /// The server allows each retry at once.
  @Test(arguments: World.Plan.Transport.allCases)
  func retriesHaveACeiling(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let client = try await caller.open("Client", ["rate_limit_backoff": greedy])
    try await world.sandbox.play(
      #"""
      [{"endpoint":"responses","status":429,"headers":{"retry-after":"0","x-codex-turn-state":"ts-1"},"times":"always"}]
      """#)
    try await expectRefusal("RateLimited") { try await caller.send("hi", at: client) }
    let state = try await world.sandbox.state()
    #expect(state.requests["responses"] == 11)
    // Each request of the turn returns the backend's routing token.
    #expect(state.turnState.sentBack == "ts-1")
  }

  @Test(.sandboxes)
  func requestsOfAnAppHaveACeiling() async throws {
    let (world, outside) = try await World.signedIn()
    let app = try await world.caller(app: "org.example.App")
    try await app.signIn(at: try await app.open("Session"))
    let client = try await app.open("Client")
    var answers = 0
    func request() async throws {
      do {
        _ = try await app.requestUsage(at: client)
      } catch let error as GLibError where ErrorReply(error).name == "Network" {
        // A busy machine may take more than the five seconds of a query.
      }
    }
    // One after the other may be slower than the rate that is always allowed.
    func requests() async throws {
      try await withThrowingTaskGroup { group in
        for _ in 0..<10 { group.addTask { try await request() } }
        try await group.waitForAll()
      }
    }
    let begun = ContinuousClock.now
    try await expectRefusal("LimitExceeded") {
      while answers < 1500 {
        try await requests()
        answers += 10
        let perSecond = answers * 1000 / max(1, Int((ContinuousClock.now - begun) / .milliseconds(1)))
        if answers >= 100, perSecond < 20 { try Test.cancel("This machine makes \(perSecond) requests a second.") }
      }
    }
    #expect(answers >= 500)
    // Turns and queries count together.
    try await expectRefusal("LimitExceeded") {
      for _ in 0..<100 {
        async let queries: Void? = try? requests()
        _ = try await app.send("hi", at: client)
        await queries
      }
    }
    #expect(try await outside.send("hi").contains("hi"))
  }
}
