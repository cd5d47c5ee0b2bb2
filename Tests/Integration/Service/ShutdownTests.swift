// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import Testing

/// Start and end of the service.
@Suite(.worlds) @GLibActor
struct ShutdownTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func aSignalEndsTheServiceCleanly(_ signal: Int32) async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.stall()
      let turn = try await caller.stalledTurn()
      let process = try #require(world.service.process)
      async let refused = refusal { try await caller.send("never answered") }
      try await eventually("both answers to start") { try await world.sandbox.state().openStreams == 2 }
      process.send(signal)
      #expect(try await process.waitForEnd() == .exit(0))

      // Waiting callers get their reply before the service releases its name.
      #expect(try await refused.name == "Cancelled")
      let failed = try await caller.signal("Failed")
      #expect(try failed.arguments.member(0, "turn") == turn.id)
      #expect(try failed.arguments.member(1, "error") == "org.chappie.Error.Cancelled")
      #expect(turn.endCount == 1)
      #expect(try await caller.connection.owner(of: "org.chappie") == nil)
      try await eventually("the stand-in's streams to be closed") { try await world.sandbox.state().openStreams == 0 }
    }
  }

  @Test func aSignalEndsTheServiceDuringASignIn() async throws {
    try await World.with(.attended) { world in
      let caller = try await world.caller()
      _ = try await caller.startSignIn()
      let process = try #require(world.service.process)
      process.send(SIGTERM)
      #expect(try await process.waitForEnd() == .exit(0))
      try await world.service.restart()
      #expect(try await caller.state() == "signed-out")
    }
  }

  /// A keyring that hangs must not keep a session from ending.
  @Test func aSignalEndsTheServiceWhileTheKeyringIsSilent() async throws {
    try await World.signedIn { world, caller in
      world.keyring.freeze()
      let turn = try await caller.stream("hi")
      let process = try #require(world.service.process)
      process.send(SIGTERM)
      #expect(try await process.waitForEnd() == .exit(0))
      let failed = try await caller.signal("Failed")
      #expect(try failed.arguments.member(0, "turn") == turn.id)
    }
  }

  @Test func theServiceDoesNotStartWithoutABus() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      await world.bus.end()
      let process = try world.service.launch(world.sandbox.addresses)
      #expect(try await process.waitForEnd() == .exit(1))
      #expect(process.output.contains("The service cannot start"))
    }
  }

  @Test func aSecondInstanceReportsTheFirstAndEnds() async throws {
    try await World.signedIn { world, caller in
      let owner = try await caller.connection.owner(of: "org.chappie")
      let second = try world.service.launch(world.sandbox.addresses, name: "second")
      #expect(try await second.waitForEnd() == .exit(1))
      #expect(second.output.contains("Another program owns the name org.chappie"))
      #expect(try await caller.connection.owner(of: "org.chappie") == owner)
      #expect(try await caller.send("hi").contains("hi"))
    }
  }

  /// Callers send calls as soon as the name appears, and the objects must be there.
  @Test func theNameAppearsAfterTheObjects() async throws {
    try await World.signedIn { world, caller in
      for _ in 0..<5 {
        await world.service.end()
        var answers: [Task<Bool, any Error>] = []
        let watch = caller.connection.watchName("org.chappie") { owner in
          guard owner != nil else { return }
          answers = ["Manager", "Session", "Client"].map { interface in
            Task { @GLibActor in try await caller.property("\(interface).Version", as: UInt32.self) == 1 }
          }
          answers.append(Task { @GLibActor in try await caller.state() == "signed-in" })
        }
        try await world.service.restart()
        try await eventually("the name") { !answers.isEmpty }
        for answer in answers { #expect(try await answer.value) }
        withExtendedLifetime(watch) {}
      }
    }
  }
}
