// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// `ListCredentials` tells the user whose sign-ins the keyring has.
@Suite(.worlds) @GLibActor
struct StoredCredentialTests {
  private func list(_ caller: Caller) async throws -> [VariantDictionary] {
    try await caller.call("Manager.ListCredentials", [:] as VariantDictionary)
      .member(0, "credentials", as: [VariantDictionary].self)
  }

  @Test func eachAccountIsListed() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      #expect(try await list(caller).isEmpty)
      try await caller.signIn()
      try await caller.signIn(at: caller.open("Session", ["keychain_account": "work"]))
      let found = try await list(caller)
      #expect(found.map { $0.text("account") } == ["default", "work"])
      #expect(found.map { $0.text("method") } == ["device-code", "device-code"])
      #expect(found.map { $0.text("state") } == ["signed-in", "signed-in"])
      // The first use of a slot, after a restart, tells the same.
      try await world.service.restart()
      #expect(try await list(caller) == found)

      try await world.sandbox.revokeRefreshTokens()
      try await world.sandbox.expireAccessTokens()
      try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
      #expect(try await caller.lastError().text("message")?.contains("revoked") == true)
      #expect(try await list(caller).map { $0.text("state") } == ["reauthentication-required", "signed-in"])
      try await world.service.restart()
      #expect(try await list(caller).map { $0.text("state") } == ["reauthentication-required", "signed-in"])
      try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
      try await caller.call("Session.SignOut")
      #expect(try await list(caller).map { $0.text("account") } == ["work"])
      try await world.keyring.lock()
      try await expectRefusal("Locked") { try await list(caller) }
    }
  }

  @Test(.sandboxes)
  func anAppIsListedAndMayNotList() async throws {
    try await World.with { world in
      let app = try await world.caller(app: "org.example.App")
      try await app.signIn(at: app.open("Session"))
      try await expectRefusal("AccessDenied") { try await list(app) }
      let outside = try await world.caller()
      let found = try await list(outside)
      #expect(found.map { $0.text("app") } == ["org.example.App"])
      #expect(found.first?.text("name") == nil)
      #expect(found.first?.text("method") == "device-code")
      try world.installDesktopFile("org.example.App", "Name=Example\n")
      #expect(try await list(outside).map { $0.text("name") } == ["Example"])
    }
  }
}
