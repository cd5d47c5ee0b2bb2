// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A returning user is signed in without any action.
@Suite(.worlds) @GLibActor
struct RestoreTests {
  @Test func theAccountIsSignedInAfterARestart() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    try await world.service.restart()
    #expect(try await caller.state() == "signed-out")
    #expect(try await caller.lastError().isEmpty)

    try await caller.signIn()
    let before = try await caller.stream("before")
    _ = try await before.end()
    try await world.service.restart()
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.property("Session.DeviceLinkState") == "idle")
    #expect(try await caller.email() == "ada@example.com")
    // A caller that asks for a turn of the previous process must not get another turn.
    let after = try await caller.stream("after")
    #expect(after.id != before.id)
    #expect(try await after.end().answer.text.contains("after"))
    try await expectRefusal("NoSuchTurn") { try await before.snapshot() }
    #expect(try await world.sandbox.state().requests["usercode"] == 1)
  }

  /// The first call to a new service must not read a state before the service has determined it.
  @Test func theFirstAnswerAfterAKillHasTheState() async throws {
    let (world, caller) = try await World.signedIn(.activatable)
    try await world.sandbox.stall(times: "2")
    _ = try await caller.stalledTurn()
    async let refused = refusal { try await caller.send("never answered") }
    try await eventually("both answers to start") { try await world.sandbox.state().openStreams == 2 }
    for _ in 0..<5 {
      let process = try await caller.connection.processID(of: "org.chappie")
      kill(process, SIGKILL)
      try await eventually("the end of the service") { try await caller.connection.owner(of: "org.chappie") == nil }
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.connection.processID(of: "org.chappie") != process)
    }
    #expect(try await refused.name == "org.freedesktop.DBus.Error.NoReply")
    #expect(try await caller.send("again").contains("again"))
    try await eventually("the old answers to end") { try await world.sandbox.state().openStreams == 0 }
  }

  @Test func anItemThatDoesNotOpenIsRefused() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    for reason in ["another device", "damaged, or another version's: sign in again"] {
      try await caller.signIn()
      #expect(try await world.keyring.items().count == 1)
      try await world.keyring.changeSecret(of: "default") { line in
        var parts = line.split(separator: ":").map(String.init)
        if reason == "another device" {
          parts[2] = String(parts[2].reversed())
        } else {
          // An older format, which names no servers.
          parts = ["chappie1"] + parts.dropFirst(2)
        }
        return parts.joined(separator: ":")
      }
      try await world.service.restart()
      #expect(try await caller.state() == "signed-out")
      #expect(try await caller.lastError().text("message")?.contains(reason) == true)
      try await expectRefusal("MissingCredential") { try await caller.send("hi") }
    }
    try await caller.signIn()
    #expect(try await caller.send("hi").contains("hi"))

    // A credential belongs to its slot: a program that can write to the keyring cannot move it to another one.
    try await caller.signIn(account: "work")
    let stolen = try #require(try await world.keyring.credentials()["work"])
    try await world.keyring.changeSecret(of: "default") { _ in String(decoding: stolen.secret, as: UTF8.self) }
    try await world.service.restart()
    #expect(try await caller.state() == "signed-out")
    #expect(try await caller.lastError().text("message")?.contains("damaged") == true)
  }
}
