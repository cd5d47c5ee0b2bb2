// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A sign-in is used only with its own issuer and backend; other servers receive nothing of it.
@Suite(.worlds) @GLibActor
struct OtherServersTests {
  /// The address that differs from that of the sign-in.
  enum Change: CaseIterable {
    case issuer
    case backend
    case both
  }

  private static let reason = "The stored sign-in is for other servers than the configured ones: sign in again."

  private func other(in world: World) async throws -> Sandbox {
    let other = Sandbox(world.directories, ["--auto-approve", "--rate", "0"])
    world.adopt { await other.end() }
    try await other.start()
    return other
  }

  private func addresses(_ change: Change, _ world: World, _ other: Sandbox) -> [String] {
    let issuer = change == .backend ? world.sandbox.issuer : other.issuer
    let backend = change == .issuer ? world.sandbox.backend : other.backend
    return ["--issuer", issuer, "--backend", backend]
  }

  private func requests(_ sandboxes: Sandbox...) async throws -> [[String: Int]] {
    var all: [[String: Int]] = []
    for sandbox in sandboxes { all.append(try await sandbox.state().requests) }
    return all
  }

  private func expectNothing(of caller: Caller) async throws {
    #expect(try await caller.state() == "signed-out")
    #expect(try await caller.lastError().text("message")?.contains(Self.reason) == true)
    #expect(try await caller.email() == nil)
    try await expectRefusal("MissingCredential") { try await caller.send("hi") }
    try await expectRefusal("MissingCredential") { try await caller.call("Client.GetUsageLimits") }
    try await expectRefusal("MissingCredential") { try await caller.call("Client.ListModels", VariantDictionary()) }
  }

  @Test(arguments: Change.allCases)
  func otherServersReceiveNothing(_ change: Change) async throws {
    try await World.signedIn { world, caller in
      #expect(try await caller.send("here").contains("here"))
      let other = try await other(in: world)
      // A 401 of the new server would ask for a refresh.
      try await other.play(#"[{"endpoint":"responses","status":401,"times":"always"}]"#)
      let before = try await requests(world.sandbox, other)
      await world.service.end()
      try await world.service.start(addresses(change, world, other))
      try await expectNothing(of: caller)
      #expect(try await requests(world.sandbox, other) == before)

      // With the old addresses, the sign-in is as it was.
      await world.service.end()
      try await world.service.start(world.sandbox.addresses)
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError().isEmpty)
      #expect(try await caller.send("back").contains("back"))
      #expect(try await requests(world.sandbox)[0]["refresh"] == 0)
    }
  }

  @Test func aNewSignInReplacesTheOneOfOtherServers() async throws {
    try await World.signedIn { world, caller in
      let other = try await other(in: world)
      let before = try await requests(world.sandbox)
      await world.service.end()
      try await world.service.start(other.addresses)
      try await caller.signIn()
      #expect(try await caller.send("there").contains("there"))
      #expect(try await caller.lastError().isEmpty)
      #expect(try await world.keyring.items().count == 1)
      #expect(try await requests(world.sandbox) == before, "the old server hears nothing of it")
      await world.service.end()
      try await world.service.start(world.sandbox.addresses)
      try await expectNothing(of: caller)
    }
  }

  /// The user's sign-out removes the credential; to revoke it, the service would have to send it.
  @Test func aSignOutRemovesTheSignInAndSendsNothing() async throws {
    try await World.signedIn { world, caller in
      let other = try await other(in: world)
      let before = try await requests(world.sandbox, other)
      await world.service.end()
      try await world.service.start(other.addresses)
      try await caller.call("Session.SignOut")
      #expect(try await world.keyring.items().isEmpty)
      #expect(try await caller.lastError().isEmpty)
      // This request comes after any request of the sign-out.
      _ = try await refusal { try await caller.send("hi") }
      #expect(try await requests(world.sandbox, other) == before)
    }
  }

  /// The note for a start without a keyring includes the servers.
  @Test func aStartWithoutAKeyringRemembersTheServers() async throws {
    try await World.signedIn { world, caller in
      let other = try await other(in: world)
      await world.service.end()
      await world.keyring.end()
      try await world.service.start(other.addresses)
      #expect(try await caller.state() == "signed-out")
      await world.service.end()
      try await world.service.start(world.sandbox.addresses)
      #expect(try await caller.state() == "signed-in")
    }
  }

  /// Threads belong to the user, not to the servers that answered in them.
  @Test func threadsStayReadableWithOtherServers() async throws {
    try await World.signedIn { world, caller in
      let thread: String = try await caller.call("Threads.Create", ["title": "Kept".variant] as VariantDictionary)
        .member(0, "thread")
      _ = try await caller.call("Threads.Send", thread, "hello", VariantDictionary())
      let other = try await other(in: world)
      await world.service.end()
      try await world.service.start(other.addresses)
      let read: String = try await caller.call("Threads.Get", thread).member(0, "json")
      #expect(read.contains("hello"))
    }
  }

  /// An item without servers is valid for none.
  @Test func anItemOfAnOlderFormatGivesNoSignIn() async throws {
    try await World.signedIn { world, caller in
      try await world.keyring.changeSecret(of: "default") { line in
        "chappie1:" + line.split(separator: ":").dropFirst(2).joined(separator: ":")
      }
      try await expectRefusal("MissingCredential") { try await caller.send("hi") }
      #expect(try await caller.lastError().text("message")?.contains("another version's: sign in again") == true)
      try await caller.signIn()
      #expect(try await caller.send("hi").contains("hi"))
    }
  }
}
