// SPDX-License-Identifier: Apache-2.0

/// One program or the backend keeps the service busy: other callers are served meanwhile.
@Suite(.worlds) @GLibActor
struct FreezeTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func anItemOfManyNumbersIsAccepted(_ transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let other = try await world.caller()
    try await world.sandbox.play(
      #"[{"endpoint":"responses","times":8,"flood":{"of":"numbers","size":2000000,"count":1}}]"#)
    // A service that is frozen answers one read of a turn at most, when it is free again. A busy machine may allow none
    // in one turn, when the test gets no processor while the item is decoded.
    var reads = 0
    for sent in 1...8 where reads <= 2 {
      let turn = try await caller.stream("count")
      try await eventually("the request") { try await world.sandbox.state().requests["responses"] == sent }
      reads = 0
      while try await turn.snapshot().status == "running" {
        _ = try await other.property("Manager.Version", as: UInt32.self)
        reads += 1
      }
      #expect(try await turn.end().answer.text.isEmpty)
    }
    #expect(reads > 2)
  }

  // MARK: Floods

  /// The service closes the socket, since no turn can use these frames.
  @Test func aFloodingSocketIsClosed() async throws {
    try await World.signedIn(each: ["pings", "empty"]) { world, caller, kind in
      let client = try await caller.open("Client", World.Plan.Transport.webSocket.impatient)
      try await world.sandbox.play(#"[{"endpoint":"responses","flood":{"of":"\#(kind)"}}]"#)
      try await expectRefusal("Network", saying: "flood") { try await caller.send("go", at: client) }
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
    let other = try await world.caller()
    try await world.sandbox.play(#"[{"endpoint":"responses","times":\#(turns),"flood":{"of":"\#(kind)"}}]"#)
    var flooded: [Turn] = []
    for _ in 0..<turns { flooded.append(try await caller.stream("go")) }
    try await eventually("the floods") { try await world.sandbox.state().requests["responses"] == turns }
    for _ in 0..<20 { _ = try await other.property("Manager.Version", as: UInt32.self) }
    for turn in flooded { #expect(try await turn.snapshot().status == "running") }
    // Over HTTP, because the stand-in's sockets wait for each other.
    let client = try await other.open("Client", World.Plan.Transport.http.impatient)
    #expect(try await other.send("a word in between", at: client).contains("a word in between"))
    for turn in flooded where try await turn.snapshot().status == "running" { try await turn.cancel() }
  }
}
