// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Several callers: their shared and private objects.
@Suite(.worlds) @GLibActor
struct CallerTests {
  @Test func turnsOfOtherCallersDoNotExist() async throws {
    try await World.with { world in
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
  }

  @Test func anOpenedClientIsPrivate() async throws {
    try await World.with { world in
      let other = try await world.caller()
      let caller = try await world.signedInCaller()
      let client = try await caller.open("Client")
      try await expectRefusal("AccessDenied") { try await other.send("hi", at: client) }
      try await expectRefusal("AccessDenied") { try await other.stream("hi", at: client) }
      try await expectRefusal("AccessDenied") { try await other.models(at: client) }
      try await expectRefusal("AccessDenied") { try await other.requestUsage(at: client) }
      try await expectRefusal("AccessDenied") { try await other.usage(at: client) }
      try await expectRefusal("AccessDenied") { try await other.call("Client.SelectModel", "m", at: client) }
      #expect(
        try await refusal { try await other.property("Client.Model", at: client, as: String.self) }.name
          == "AccessDenied")
      let getAll = try await refusal {
        try await other.connection.call(
          "org.chappie", client, "org.freedesktop.DBus.Properties", "GetAll", .tuple("org.chappie.Client"))
      }
      #expect(getAll.name == "AccessDenied")
      try await expectRefusal("InvalidArgument") { try await other.call("Manager.Close", client) }
      #expect(try await caller.send("mine", at: client).contains("mine"))
    }
  }

  /// A caller must open a session before it uses it; then the session does not close when another opener leaves.
  @Test func sessionsOfOneConfigurationAreShared() async throws {
    try await World.with { world in
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
    }
  }

  @Test func aClientFindsTheCredentialOfItsSession() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let configuration: VariantDictionary = ["keychain_service": "org.example.app", "keychain_account": "work"]
      let session = try await caller.open("Session", configuration)
      let client = try await caller.open("Client", configuration)
      #expect(try await caller.property("Client.Session", at: client) == session)
      #expect(try await caller.property("Client.Session", as: ObjectPath.self) == .chappie)
      try await expectRefusal("MissingCredential") { try await caller.send("hi", at: client) }
      try await caller.signIn(at: session)
      #expect(try await caller.send("hi", at: client).contains("hi"))
      try await expectRefusal("MissingCredential") { try await caller.send("hi") }
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func closingEndsTheTurnsOfAClient(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, caller in
      let client = try await caller.open("Client")
      try await world.sandbox.stall()
      let turn = try await caller.stalledTurn(at: client)
      try await caller.call("Manager.Close", client)
      #expect(try await turn.end().failure.name == "Cancelled")
      #expect(turn.endCount == 1)
      try await eventually("the client to be removed") {
        (try? await caller.property("Client.Model", at: client, as: String.self)) == nil
      }
      try await eventually("the stand-in's streams to be closed") { try await world.sandbox.state().openStreams == 0 }
      try await expectRefusal("InvalidArgument") { try await caller.call("Manager.Close", client) }
    }
  }
}
