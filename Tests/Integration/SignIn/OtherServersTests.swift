// SPDX-License-Identifier: Apache-2.0

/// A sign-in is used only with its own issuer and backend; other servers receive nothing of it.
@Suite(.worlds) @GLibActor
struct OtherServersTests {
  private static let reason = "The stored sign-in is for other servers than the configured ones: sign in again."

  private func other(in world: World) async throws -> Sandbox {
    let other = Sandbox(world.directories, ["--auto-approve", "--rate", "0"])
    world.adopt { await other.end() }
    try await other.start()
    return other
  }

  private func start(_ world: World, _ addresses: [String]) async throws {
    await world.service.end()
    try await world.service.start(addresses)
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

  @Test func otherServersReceiveNothing() async throws {
    let (world, caller) = try await World.signedIn()
    #expect(try await caller.send("here").contains("here"))
    let thread: String = try await caller.call("Threads.Create", ["title": "Kept".variant] as VariantDictionary)
      .member(0, "thread")
    _ = try await caller.call("Threads.Send", thread, "hello", VariantDictionary())
    let other = try await other(in: world)
    let (issuer, backend) = (world.sandbox.issuer, world.sandbox.backend)
    let servers = [(other.issuer, backend), (issuer, other.backend), (other.issuer, other.backend)]
    try await world.each(servers) { issuer, backend in
      // A 401 of the new server would ask for a refresh.
      try await other.play(#"[{"endpoint":"responses","status":401,"times":"always"}]"#)
      let before = try await requests(world.sandbox, other)
      try await start(world, ["--issuer", issuer, "--backend", backend])
      try await expectNothing(of: caller)
      // Threads belong to the user, not to the servers that answered in them.
      let read: String = try await caller.call("Threads.Get", thread).member(0, "json")
      #expect(read.contains("hello"))
      #expect(try await requests(world.sandbox, other) == before)

      // With the old addresses, the sign-in is as it was.
      try await start(world, world.sandbox.addresses)
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.lastError().isEmpty)
      #expect(try await caller.send("back").contains("back"))
      #expect(try await requests(world.sandbox)[0]["refresh"] == 0)
    }

    // The note for a start without a keyring includes the servers.
    await world.keyring.end()
    try await start(world, other.addresses)
    #expect(try await caller.state() == "signed-out")
    try await start(world, world.sandbox.addresses)
    #expect(try await caller.state() == "signed-in")
    try await world.keyring.start()

    // A new sign-in replaces the other, of which the old server hears nothing.
    let before = try await requests(world.sandbox)
    try await other.play("[]")
    try await start(world, other.addresses)
    try await caller.signIn()
    #expect(try await caller.send("there").contains("there"))
    #expect(try await caller.lastError().isEmpty)
    #expect(try await world.keyring.items().count == 1)
    #expect(try await requests(world.sandbox) == before)
    try await start(world, world.sandbox.addresses)
    try await expectNothing(of: caller)
  }
}
