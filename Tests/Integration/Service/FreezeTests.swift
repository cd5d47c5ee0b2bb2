// SPDX-License-Identifier: Apache-2.0

/// One program or the backend keeps the service busy: other callers are served meanwhile.
@Suite(.worlds) @GLibActor
struct FreezeTests {
  /// Runs `attack`, and expects short waits for another program.
  private func withBystander(
    _ world: World, sourceLocation: SourceLocation = #_sourceLocation, _ attack: (Bystander) async throws -> Void
  ) async throws {
    let bystander = Bystander(try await world.caller())
    try await bystander.read(1)
    try await attack(bystander)
    try await bystander.read(1)
    let wait = try await bystander.end()
    #expect(wait < Bystander.patience, sourceLocation: sourceLocation)
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func anItemOfManyNumbersIsAccepted(_ transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    try await world.sandbox.play(
      #"[{"endpoint":"responses","flood":{"of":"numbers","size":2000000,"count":1}}]"#)
    try await withBystander(world) { _ in
      let text = try await caller.send("count")
      #expect(text.isEmpty)
    }
  }

  // MARK: Floods

  /// The service closes the socket, since no turn can use these frames.
  @Test func aFloodingSocketIsClosed() async throws {
    try await World.signedIn(each: ["pings", "empty"]) { world, caller, kind in
      let client = try await caller.open("Client", World.Plan.Transport.webSocket.impatient)
      try await world.sandbox.play(#"[{"endpoint":"responses","flood":{"of":"\#(kind)"}}]"#)
      try await withBystander(world) { _ in
        try await expectRefusal("Network", saying: "flood") { try await caller.send("go", at: client) }
      }
      #expect(try await caller.send("again", at: client).contains("again"))
    }
  }

  /// Small events that may be useful: the turn goes on until its caller cancels it.
  @Test(
    arguments: [
      (World.Plan.Transport.webSocket, "small", 8), (.webSocket, "parts", 1), (.http, "small", 8), (.http, "pings", 2),
      (.http, "empty", 2),
    ])
  func aFloodDelaysNoOtherCaller(_ transport: World.Plan.Transport, _ kind: String, _ turns: Int) async throws {
    let (world, caller) = try await World.signedIn(transport)
    try await world.sandbox.play(#"[{"endpoint":"responses","times":\#(turns),"flood":{"of":"\#(kind)"}}]"#)
    try await withBystander(world) { bystander in
      var flooded: [Turn] = []
      for _ in 0..<turns { flooded.append(try await caller.stream("go")) }
      try await eventually("the floods") { try await world.sandbox.state().requests["responses"] == turns }
      try await bystander.read(20)
      let other = try await world.caller()
      // Over HTTP, because the stand-in's sockets wait for each other.
      let client = try await other.open("Client", World.Plan.Transport.http.impatient)
      #expect(try await other.send("a word in between", at: client).contains("a word in between"))
      for turn in flooded where try await turn.snapshot().status == "running" { try await turn.cancel() }
    }
  }
}

/// A program that reads a property of the service repeatedly while others keep it busy.
@GLibActor
final class Bystander {
  /// The longest wait that a test accepts: a debug build beside other tests takes many times as long as a release
  /// build.
  static var patience: Duration { .seconds(4) * slowness }

  private let caller: Caller
  private var reading: Task<Duration, any Error>?
  private var hasEnough = false
  private(set) var reads = 0

  init(_ caller: Caller) {
    self.caller = caller
    reading = Task.onGLib { try await longestWait() }
  }

  private func longestWait() async throws -> Duration {
    let clock = ContinuousClock()
    var longest = Duration.zero
    while !hasEnough {
      let start = clock.now
      _ = try await caller.property("Manager.Version", as: UInt32.self)
      longest = max(longest, clock.now - start)
      reads += 1
      try await sleep(for: .milliseconds(5))
    }
    return longest
  }

  /// Waits for `count` further reads.
  func read(_ count: Int) async throws {
    let goal = reads + count
    try await eventually("\(count) reads of a property") { reads >= goal }
  }

  /// The longest wait for a reply.
  func end() async throws -> Duration {
    hasEnough = true
    return try await reading?.value ?? .zero
  }
}
