// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import Testing

/// A returning user is signed in without any action.
@Suite(.worlds) @GLibActor
struct RestoreTests {
  @Test func theAccountIsSignedInAfterARestart() async throws {
    try await World.signedIn { world, caller in
      try await world.service.restart()
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.property("Session.DeviceLinkState") == "idle")
      let account = try await caller.property("Session.AccountInfo", as: VariantDictionary.self)
      #expect(account.text("email") == "ada@example.com")
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().requests["usercode"] == 1)
    }
  }

  @Test func theAccountIsSignedOutAfterARestartWithoutASignIn() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      try await world.service.restart()
      #expect(try await caller.state() == "signed-out")
      #expect(try await caller.lastError().isEmpty)
    }
  }

  /// The first call to a new service must not read a state before the service has determined it.
  @Test func theFirstAnswerHasTheState() async throws {
    try await World.signedIn(.activatable) { _, caller in
      for _ in 0..<5 {
        let process = try await caller.connection.processID(of: "org.chappie")
        kill(process, SIGKILL)
        try await eventually("the end of the service") { try await caller.connection.owner(of: "org.chappie") == nil }
        #expect(try await caller.state() == "signed-in")
        #expect(try await caller.connection.processID(of: "org.chappie") != process)
      }
    }
  }

  @Test func theSignInSurvivesAKillDuringATurn() async throws {
    try await World.signedIn(.activatable) { world, caller in
      try await world.sandbox.stall(times: "2")
      _ = try await caller.stalledTurn()
      async let refused = refusal { try await caller.send("never answered") }
      try await eventually("both answers to start") { try await world.sandbox.state().openStreams == 2 }
      kill(try await caller.connection.processID(of: "org.chappie"), SIGKILL)
      #expect(try await refused.name == "org.freedesktop.DBus.Error.NoReply")

      // The bus starts a new one for the next call.
      #expect(try await caller.send("again").contains("again"))
      #expect(try await caller.state() == "signed-in")
      try await eventually("the old answers to end") { try await world.sandbox.state().openStreams == 0 }
    }
  }

  /// A caller that asks for a turn of the previous process must not get another turn.
  @Test func turnNamesAreNotReused() async throws {
    try await World.signedIn { world, caller in
      let before = try await caller.stream("before")
      _ = try await before.end()
      try await world.service.restart()
      let after = try await caller.stream("after")
      #expect(after.id != before.id)
      _ = try? await after.end()
      try await expectRefusal("NoSuchTurn") { try await before.snapshot() }
    }
  }

  // MARK: Invalid items

  @Test func anItemOfAnotherDeviceIsRefused() async throws {
    try await World.signedIn { world, caller in
      try await world.keyring.changeSecret(of: "default") { line in
        var parts = line.split(separator: ":").map(String.init)
        parts[2] = String(parts[2].reversed())
        return parts.joined(separator: ":")
      }
      try await world.service.restart()
      #expect(try await caller.state() == "signed-out")
      #expect(try await caller.lastError().text("message")?.contains("another device") == true)
      try await expectRefusal("MissingCredential") { try await caller.send("hi") }
      try await caller.signIn()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.keyring.credentials().count == 1)
    }
  }

  @Test(arguments: ["", "chappie1:", "not what was stored", "changed"])
  func aDamagedItemIsRefused(_ line: String) async throws {
    try await World.signedIn { world, caller in
      try await world.keyring.changeSecret(of: "default") { stored in
        line == "changed" ? String(stored.dropLast(8) + "AAAAAAA=") : line
      }
      try await world.service.restart()
      #expect(try await caller.state() == "signed-out")
      #expect(try await caller.lastError().text("message")?.contains("damaged") == true)
      try await expectRefusal("MissingCredential") { try await caller.send("hi") }
    }
  }

  /// A credential belongs to its slot: a program that can write to the keyring cannot move it to another one.
  @Test func anItemOfAnotherAccountIsRefused() async throws {
    try await World.signedIn { world, caller in
      try await caller.signIn(account: "work")
      let stolen = try #require(try await world.keyring.credentials()["work"])
      try await world.keyring.changeSecret(of: "default") { _ in String(decoding: stolen.secret, as: UTF8.self) }
      try await world.service.restart()
      #expect(try await caller.state() == "signed-out")
      #expect(try await caller.lastError().text("message")?.contains("damaged") == true)
    }
  }
}
