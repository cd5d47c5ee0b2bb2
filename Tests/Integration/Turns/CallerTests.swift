// SPDX-License-Identifier: Apache-2.0

/// Several callers: their shared and private objects, and what ends when one leaves the bus.
@Suite(.worlds) @GLibActor
struct CallerTests {
  @Test func turnsOfOtherCallersDoNotExist() async throws {
    let world = try await World.begin()
    let other = try await world.caller()
    let caller = try await world.signedInCaller()
    try await world.sandbox.stall()
    let turn = try await caller.stalledTurn()
    let foreign = Turn(id: turn.id, path: .chappie, caller: other)
    try await expectRefusal("NoSuchTurn") { try await foreign.snapshot() }
    try await expectRefusal("NoSuchTurn") { try await foreign.cancel() }
    let unknown = Turn(id: "turn-0", path: .chappie, caller: caller)
    try await expectRefusal("NoSuchTurn") { try await unknown.snapshot() }
    try await expectRefusal("NoSuchTurn") { try await unknown.cancel() }
    #expect(try await turn.snapshot().status == "running")
    // A turn belongs to its object, too.
    let client = try await caller.open("Client")
    let ofClient = try await caller.stalledTurn(at: client)
    let elsewhere = Turn(id: ofClient.id, path: .chappie, caller: caller)
    try await expectRefusal("NoSuchTurn") { try await elsewhere.snapshot() }
  }

  @Test func anOpenedClientIsPrivate() async throws {
    let world = try await World.begin()
    let other = try await world.caller()
    let caller = try await world.signedInCaller()
    let client = try await caller.open("Client")
    try await expectRefusal("AccessDenied") { try await other.send("hi", at: client) }
    try await expectRefusal("AccessDenied") { try await other.stream("hi", at: client) }
    try await expectRefusal("AccessDenied") { try await other.models(at: client) }
    try await expectRefusal("AccessDenied") { try await other.requestUsage(at: client) }
    try await expectRefusal("AccessDenied") { try await other.usage(at: client) }
    try await expectRefusal("AccessDenied") { try await other.call("Client.SelectModel", "m", at: client) }
    try await expectRefusal("AccessDenied") { try await other.property("Client.Model", at: client, as: String.self) }
    try await expectRefusal("AccessDenied") {
      try await other.connection.call(
        "org.chappie", client, "org.freedesktop.DBus.Properties", "GetAll", .tuple("org.chappie.Client"))
    }
    try await expectRefusal("InvalidArgument") { try await other.call("Manager.Close", client) }
    #expect(try await caller.send("mine", at: client).contains("mine"))
  }

  /// A caller must open a session before it uses it; then the session does not close when another opener leaves.
  @Test func sessionsOfOneConfigurationAreShared() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    let other = try await world.caller()
    let configuration: VariantDictionary = ["keychain_account": "work", "model": "gpt-6-sol"]
    let session = try await caller.open("Session", configuration)
    #expect(try await caller.open("Session", configuration) == session)
    try await expectRefusal("AccessDenied") { try await other.state(at: session) }
    try await expectRefusal("AccessDenied") { try await other.startSignIn(at: session) }
    try await expectRefusal("InvalidArgument") { try await other.call("Manager.Close", session) }
    #expect(try await other.open("Session", configuration) == session)
    #expect(try await other.open("Session", ["keychain_account": "work"]) != session)
    let shown = try await other.property("Session.Configuration", at: session, as: VariantDictionary.self)
    #expect(shown.text("keychain_account") == "work")
    #expect(shown.text("model") == "gpt-6-sol")
    #expect(shown.text("keychain_service") == "com.chappie.sdk")
    #expect(shown.text("keychain_accessibility") == "when-unlocked-this-device-only")
    for path in [ObjectPath.chappie, .root, session.appending("more")] {
      try await expectRefusal("InvalidArgument") { try await caller.call("Manager.Close", path) }
    }

    // It exists until the last caller closes it.
    try await caller.call("Manager.Close", session)
    #expect(try await other.state(at: session) == "signed-out")
    try await other.call("Manager.Close", session)
    _ = try await refusal { try await other.state(at: session) }

    // A client finds the credential of its session.
    let own: VariantDictionary = ["keychain_service": "org.example.app", "keychain_account": "work"]
    let another = try await caller.open("Session", own)
    let client = try await caller.open("Client", own)
    #expect(try await caller.property("Client.Session", at: client) == another)
    #expect(try await caller.property("Client.Session", as: ObjectPath.self) == .chappie)
    try await expectRefusal("MissingCredential") { try await caller.send("hi", at: client) }
    try await caller.signIn(at: another)
    #expect(try await caller.send("hi", at: client).contains("hi"))
    try await expectRefusal("MissingCredential") { try await caller.send("hi") }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func closingEndsTheTurnsOfAClient(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let client = try await caller.open("Client")
    try await world.sandbox.stall()
    let turn = try await caller.stalledTurn(at: client)
    try await caller.call("Manager.Close", client)
    #expect(try await turn.end().failure.name == "Cancelled")
    try await eventually("the client to be removed") {
      (try? await caller.property("Client.Model", at: client, as: String.self)) == nil
    }
    try await eventually("the stand-in's streams to be closed") { try await world.sandbox.state().openStreams == 0 }
    try await expectRefusal("InvalidArgument") { try await caller.call("Manager.Close", client) }
  }

  // MARK: Callers that leave

  @Test(arguments: World.Plan.Transport.allCases)
  func aTurnEndsWithItsCaller(over transport: World.Plan.Transport) async throws {
    let (world, stays) = try await World.signedIn(transport)
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

  /// Another caller's objects are invisible; but a caller that opens an equal session gets the same one, and all
  /// objects of a program count against its limit.
  @Test func atMost64ObjectsAreOpenUntilTheirCallerLeaves() async throws {
    let (world, stays) = try await World.signedIn()
    var session = ObjectPath.root
    do {
      let leaves = try await Caller(world.directories.busAddress)
      session = try await leaves.open("Session", Self.work)
      var opened = [session]
      for _ in 1..<60 { opened.append(try await leaves.open("Client")) }
      for _ in 0..<4 { opened.append(try await stays.open("Client")) }
      #expect(Set(opened).count == 64)
      for (caller, kind) in [(leaves, "Session"), (stays, "Client"), (try await world.caller(), "Client")] {
        try await expectRefusal("LimitExceeded", saying: "64") { try await caller.open(kind) }
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

  private static let work: VariantDictionary = ["keychain_account": "work"]

  /// Waits until the stand-in has no running answer and no open socket.
  private func expectNoConnections(_ world: World) async throws {
    try await eventually("the stand-in's streams to be closed") {
      let state = try await world.sandbox.state()
      return state.openStreams == 0 && state.openSockets == 0
    }
  }
}
