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
    }
  }

  /// A turn belongs to its object, too.
  @Test func turnsOfOtherObjectsDoNotExist() async throws {
    try await World.signedIn { _, caller in
      let client = try await caller.open("Client")
      let turn = try await caller.stream("hi", at: client)
      _ = try await turn.end()
      let elsewhere = Turn(id: turn.id, path: .chappie, caller: caller)
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

  @Test func sessionsOfOneConfigurationAreShared() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let other = try await world.caller()
      let configuration: VariantDictionary = ["keychain_account": "work", "model": "gpt-6-sol"]
      let session = try await caller.open("Session", configuration)
      #expect(try await caller.open("Session", configuration) == session)
      #expect(try await other.open("Session", configuration) == session)
      #expect(try await other.open("Session", ["keychain_account": "work"]) != session)
      let shown = try await other.property("Session.Configuration", at: session, as: VariantDictionary.self)
      #expect(shown.text("keychain_account") == "work")
      #expect(shown.text("model") == "gpt-6-sol")
      #expect(shown.text("keychain_service") == "com.chappie.sdk")
      #expect(shown.text("keychain_accessibility") == "when-unlocked-this-device-only")

      // It exists until the last caller closes it.
      try await caller.call("Manager.Close", session)
      #expect(try await other.state(at: session) == "signed-out")
      try await other.call("Manager.Close", session)
      _ = try await refusal { try await other.state(at: session) }
    }
  }

  /// A caller must open a session before it uses it; then the session does not close when another opener leaves.
  @Test func aSessionIsForItsOpeners() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let other = try await world.caller()
      let session = try await caller.open("Session", ["keychain_account": "work"])
      try await expectRefusal("AccessDenied") { try await other.state(at: session) }
      try await expectRefusal("AccessDenied") { try await other.startSignIn(at: session) }
      #expect(try await other.open("Session", ["keychain_account": "work"]) == session)
      #expect(try await other.state(at: session) == "signed-out")
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

  @Test func aCallerMayCloseOnlyItsOwnObjects() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let other = try await world.caller()
      let session = try await caller.open("Session", ["keychain_account": "work"])
      for path in [ObjectPath.chappie, .root, session.appending("more")] {
        try await expectRefusal("InvalidArgument") { try await caller.call("Manager.Close", path) }
      }
      try await expectRefusal("InvalidArgument") { try await other.call("Manager.Close", session) }
      #expect(try await caller.state(at: session) == "signed-out")
    }
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func simultaneousCallersAreKeptApart(over transport: World.Plan.Transport) async throws {
    try await World.signedIn(transport) { world, first in
      let second = try await world.caller()
      try await world.sandbox.play(#"[{"endpoint":"responses","delta_delay_ms":3,"times":"always"}]"#)
      var turns: [(turn: Turn, text: String)] = []
      for number in 0..<8 {
        for (caller, name) in [(first, "first"), (second, "second")] {
          let text = "\(name)-\(number)"
          turns.append((try await caller.stream(text), text))
        }
      }
      for (turn, text) in turns {
        let answer = try await turn.end().answer.text
        #expect(answer == "You said: “\(text)” This conversation has 1 message.")
        #expect(try turn.deltas.map(\.text).joined() == answer)
        #expect(turn.endCount == 1)
      }
      #expect(first.signals("Completed").count == 8)
      #expect(second.signals("Completed").count == 8)
      #expect(!first.signals.contains { "\($0.arguments)".contains("second-") })
    }
  }
}
