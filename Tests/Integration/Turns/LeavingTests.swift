import GLibBridge
import Testing

/// What ends when a caller leaves the bus, and what does not.
@Suite(.worlds) @GLibActor
struct LeavingTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func aTurnEndsWithItsCaller(over transport: World.Plan.Transport) async throws {
    try await World.with(transport) { world in
      let stays = try await world.signedInCaller()
      try await world.sandbox.stall()
      do {
        let leaves = try await Caller(world.directories.busAddress)
        _ = try await leaves.stalledTurn()
        #expect(try await world.sandbox.state().openStreams == 1)
      }
      try await expectNobody(world)
      try await eventually("no turn") { try await stays.property("Client.ActiveTurns", as: [String].self).isEmpty }
    }
  }

  /// `Send`, too: a shell user who presses Ctrl-C wants no answer any more.
  @Test(arguments: World.Plan.Transport.allCases)
  func aCallThatIsWaitedForEndsWithItsCaller(over transport: World.Plan.Transport) async throws {
    try await World.with(transport) { world in
      _ = try await world.signedInCaller()
      try await world.sandbox.stall()
      let gdbus = try ChildProcess(
        "gdbus", "gdbus",
        ["call", "--session", "-d", "org.chappie", "-o", "/org/chappie", "-m", "org.chappie.Client.Send", "hi", "{}"],
        in: world.directories)
      try await eventually("the answer to be under way") { try await world.sandbox.state().openStreams == 1 }
      await gdbus.terminate()
      try await expectNobody(world)
    }
  }

  @Test func objectsGoWithTheirCaller() async throws {
    try await World.with { world in
      let stays = try await world.signedInCaller()
      var session = ObjectPath.root
      var client = ObjectPath.root
      do {
        let leaves = try await Caller(world.directories.busAddress)
        session = try await leaves.open("Session", ["keychain_account": "work"])
        client = try await leaves.open("Client")
      }
      try await eventually("the session to go") { try await isGone(session, "Session", stays) }
      try await eventually("the client to go") { try await isGone(client, "Client", stays) }
    }
  }

  /// Whether there is no such object. While there is one, it is somebody else's.
  private func isGone(_ path: ObjectPath, _ interface: String, _ caller: Caller) async throws -> Bool {
    try await refusal { try await caller.property("\(interface).Version", at: path, as: UInt32.self) }.name
      != "AccessDenied"
  }

  /// On an opened client a broadcast goes the way of the client.
  @Test(arguments: World.Plan.Transport.allCases)
  func aBroadcastOfAnOpenedClientEndsWithItsCaller(over transport: World.Plan.Transport) async throws {
    try await World.with(transport) { world in
      let stays = try await world.signedInCaller()
      try await world.sandbox.stall()
      var id = ""
      do {
        let leaves = try await Caller(world.directories.busAddress)
        let client = try await leaves.open("Client")
        id = try await leaves.stalledTurn(["broadcast": true], at: client).id
      }
      let failed = try await stays.signal("Failed")
      #expect(try failed.arguments.member(0, "turn") == id)
      #expect(try failed.arguments.member(1, "error") == "org.chappie.Error.Cancelled")
      try await expectNobody(world)
    }
  }

  /// Waits until the stand-in has neither an answer to give nor a socket to keep.
  private func expectNobody(_ world: World) async throws {
    try await eventually("the stand-in to be left") {
      let state = try await world.sandbox.state()
      return state.openStreams == 0 && state.openSockets == 0
    }
  }
}
