import GLibBridge
import Testing

/// A sign-in is used with the issuer and the backend that it was made with, and no others get anything of it.
@Suite(.worlds) @GLibActor
struct OtherServersTests {
  /// Which of the two addresses is another one than that of the sign-in.
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
    #expect(try await refusal { try await caller.send("hi") }.name == "MissingCredential")
    #expect(try await refusal { try await caller.call("Client.GetUsageLimits") }.name == "MissingCredential")
    #expect(
      try await refusal { try await caller.call("Client.ListModels", VariantDictionary()) }.name == "MissingCredential")
  }

  @Test(arguments: Change.allCases)
  func getNothing(_ change: Change) async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      #expect(try await caller.send("here").contains("here"))
      let other = try await other(in: world)
      // A 401 of the new server asks for a renewal.
      try await other.play(#"[{"endpoint":"responses","status":401,"times":"always"}]"#)
      let before = try await requests(world.sandbox, other)
      await world.service.end()
      try await world.service.start(addresses(change, world, other))
      try await expectNothing(of: caller)
      #expect(try await requests(world.sandbox, other) == before)

      // Who goes back finds it as it was.
      await world.service.end()
      try await world.service.start(world.sandbox.addresses)
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError().isEmpty)
      #expect(try await caller.send("back").contains("back"))
      #expect(try await requests(world.sandbox)[0]["refresh"] == 0)
    }
  }

  @Test func aNewSignInReplacesIt() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
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

  /// The user wants it gone, and it goes; to be revoked it would have to be sent.
  @Test func aSignOutRemovesItAndTellsNobody() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      let other = try await other(in: world)
      let before = try await requests(world.sandbox, other)
      await world.service.end()
      try await world.service.start(other.addresses)
      try await caller.call("Session.SignOut")
      #expect(try await world.keyring.items().isEmpty)
      #expect(try await caller.lastError().isEmpty)
      // What is asked next comes after whatever the sign-out has sent.
      _ = try await refusal { try await caller.send("hi") }
      #expect(try await requests(world.sandbox, other) == before)
    }
  }

  /// What is noted for a start without a keyring says for which servers.
  @Test func aStartWithoutAKeyringKnowsForWhichServersItWas() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
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

  /// Threads are the user's, whoever has answered in them.
  @Test func threadsCanBeReadUnderOtherServers() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
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

  /// An item that names no servers is for none.
  @Test func anItemOfAnOlderFormIsNoSignIn() async throws {
    try await World.with { world in
      let caller = try await world.signedInCaller()
      try await world.keyring.changeSecret(of: "default") { line in
        "chappie1:" + line.split(separator: ":").dropFirst(2).joined(separator: ":")
      }
      #expect(try await refusal { try await caller.send("hi") }.name == "MissingCredential")
      #expect(try await caller.lastError().text("message")?.contains("another version's: sign in again") == true)
      try await caller.signIn()
      #expect(try await caller.send("hi").contains("hi"))
    }
  }
}
