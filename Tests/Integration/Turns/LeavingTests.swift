// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Objects and turns that end when a caller leaves the bus, and those that do not.
@Suite(.worlds) @GLibActor
struct LeavingTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func aTurnEndsWithItsCaller(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, stays in
      try await world.sandbox.stall()
      do {
        let leaves = try await Caller(world.directories.busAddress)
        _ = try await leaves.stalledTurn()
        #expect(try await world.sandbox.state().openStreams == 1)
      }
      try await expectNoConnections(world)
      try await eventually("no turn") { try await stays.property("Client.ActiveTurns", as: [String].self).isEmpty }

      // A user who presses Ctrl-C in a shell no longer wants the answer of `Send`.
      let gdbus = try ChildProcess(
        "gdbus", "gdbus",
        ["call", "--session", "-d", "org.chappie", "-o", "/org/chappie", "-m", "org.chappie.Client.Send", "hi", "{}"],
        in: world.directories)
      try await eventually("the answer to start") { try await world.sandbox.state().openStreams == 1 }
      await gdbus.terminate()
      try await expectNoConnections(world)

      // On an opened client a broadcast turn ends with the client.
      var id = ""
      do {
        let leaves = try await Caller(world.directories.busAddress)
        let client = try await leaves.open("Client")
        id = try await leaves.stalledTurn(["broadcast": true], at: client).id
      }
      let failed = try await stays.signal("Failed")
      #expect(try failed.arguments.member(0, "turn") == id)
      #expect(try failed.arguments.member(1, "error") == "org.chappie.Error.Cancelled")
      try await expectNoConnections(world)
    }
  }

  /// Another caller's objects are invisible; but a caller that opens an equal session gets the same one, and all
  /// objects of a program count against its limit.
  @Test func atMost64ObjectsAreOpenUntilTheirCallerLeaves() async throws {
    try await World.signedIn { world, stays in
      var session = ObjectPath.root
      do {
        let leaves = try await Caller(world.directories.busAddress)
        session = try await leaves.open("Session", Self.work)
        var opened = [session]
        for _ in 1..<60 { opened.append(try await leaves.open("Client")) }
        for _ in 0..<4 { opened.append(try await stays.open("Client")) }
        #expect(Set(opened).count == 64)
        for (caller, kind) in [(leaves, "Session"), (stays, "Client"), (try await world.caller(), "Client")] {
          let refused = try await refusal { try await caller.open(kind) }
          #expect(refused.name == "LimitExceeded")
          #expect(refused.message.contains("64"))
        }
        // Other programs are not affected, and closing an object makes room.
        _ = try await world.otherProgram().open("Client")
        for path in opened.suffix(4) { try await stays.call("Manager.Close", path) }
        _ = try await leaves.open("Client")
      }
      try await eventually("the session to be removed") {
        guard let another = try? await stays.open("Session", Self.work) else { return false }
        try await stays.call("Manager.Close", another)
        return another != session
      }
      for _ in 0..<64 { _ = try await stays.open("Client") }
    }
  }

  private static let work: VariantDictionary = ["keychain_account": "work"]

  /// Waits until the stand-in has no running answer and no open socket.
  private func expectNoConnections(_ world: World) async throws {
    try await eventually("the stand-in's streams to be closed") {
      let state = try await world.sandbox.state()
      return state.openStreams == 0 && state.openSockets == 0
    }
  }
}
