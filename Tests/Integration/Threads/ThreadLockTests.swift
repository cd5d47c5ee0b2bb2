// SPDX-License-Identifier: Apache-2.0

/// While the screen or the keyring is locked, stored threads are unreadable, also for the service.
@Suite(.worlds) @GLibActor
struct ThreadLockTests {
  /// The error name of each method.
  private func failures(_ caller: Caller, _ thread: String) async throws -> Set<String> {
    let calls: [@GLibActor () async throws -> Void] = [
      { _ = try await caller.threads() }, { _ = try await caller.createThread("New") },
      { _ = try await caller.thread(thread) }, { _ = try await caller.send("hi", to: thread) },
      { try await caller.call("Threads.Compact", thread, "short") },
      { try await caller.call("Threads.UndoTurn", thread, [:] as VariantDictionary) },
      { try await caller.call("Threads.Rename", thread, "New") },
      { try await caller.call("Threads.Archive", thread) }, { try await caller.call("Threads.Unarchive", thread) },
      { try await caller.call("Threads.Delete", thread) }, { try await caller.call("Threads.GetUsage") },
    ]
    var names: Set<String> = [try await caller.stream("hi", to: thread).end().failure.name]
    for call in calls { names.insert(try await refusal(of: call).name) }
    return names
  }

  @Test func nothingIsReadWhileTheScreenIsLocked() async throws {
    let (world, caller, saver) = try await World.withScreen()
    let thread = try await caller.createThread()
    _ = try await caller.send("One", to: thread)
    try await saver.lock(caller)
    #expect(try await failures(caller, thread) == ["Locked"])
    #expect(try await world.sandbox.state().requests["responses"] == 1)
    try await saver.unlock(caller)
    #expect(try await caller.send("Two", to: thread).contains("3 messages"))
    #expect(try await caller.threads().map { $0.text("title") } == ["One"])

    try await world.keyring.lock()
    try await caller.waitFor(Lock("locked", ["keyring"]))
    #expect(try await failures(caller, thread) == ["Locked"])
    try await world.keyring.unlock()
    #expect(try await caller.send("Three", to: thread).contains("5 messages"))

    // A turn that runs when the screen locks completes and is stored. Nothing else is readable meanwhile.
    let running = try await caller.createThread("Numbers")
    try await world.sandbox.stall()
    let turn = try await caller.stream("Count", to: running)
    try await eventually("a part of the answer") { try await turn.snapshot().text == Sandbox.stalledText }
    try await saver.lock(caller)
    #expect(try await failures(caller, running) == ["Locked"])
    #expect(try await turn.snapshot().status == "running")
    try await turn.cancel()
    #expect(try await turn.end().failure.name == "Cancelled")
    for id in [running, thread] { try await expectRefusal("Locked") { try await caller.thread(id) } }
    try await saver.unlock(caller)
    #expect(try await caller.thread(running).turns.count == 1)
    #expect(try await caller.thread(running).turns[0].events[1].text == Sandbox.stalledText)
  }

  @Test func theConfigurationCanAllowReadingWhileLocked() async throws {
    let configuration = "[Threads]\nProtection=complete-until-first-user-authentication\n"
    let world = try await World.begin(World.Plan(configuration: configuration))
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    let caller = try await world.caller()
    let thread = try await caller.createThread("One")
    try await saver.lock(caller)
    #expect(try await caller.threads().map { $0.text("title") } == ["One"])
    #expect(try await caller.thread(thread).summary.title == "One")
  }

  @Test func theKeyringPromptsOnlyWhenTheCallerAllowsIt() async throws {
    let world = try await World.begin(.fakeKeyring)
    let keyring = try await FakeKeyring(in: world)
    let caller = try await world.signedInCaller()
    let thread = try await caller.createThread()
    keyring.setLocked(true)
    try await caller.waitFor(Lock("locked", ["keyring"]))
    try await expectRefusal("Locked") { try await caller.thread(thread) }
    #expect(keyring.questions == 0)
    #expect(try await caller.send("One", to: thread, interactive: true).contains("1 message"))
    #expect(keyring.questions == 1)
    keyring.setLocked(true)
    try await caller.waitFor(Lock("locked", ["keyring"]))
    keyring.user = .dismisses
    try await expectRefusal("Locked") { try await caller.call("Threads.Get", thread, interactive: true) }
    #expect(keyring.questions == 2)
    try await expectRefusal("Locked") { try await caller.call("Threads.List", VariantDictionary()) }
  }

  /// The caller's objects close, and the service goes on.
  @Test func aCallerMayLeaveWhileTheKeyringAsks() async throws {
    let world = try await World.begin(.fakeKeyring)
    let keyring = try await FakeKeyring(in: world)
    let caller = try await world.signedInCaller()
    let thread = try await caller.createThread()
    let calls: [(method: String, arguments: Variant)] = [
      ("List", .tuple(VariantDictionary())), ("GetUsage", .tuple()), ("Get", .tuple(thread)),
      ("Rename", .tuple(thread, "Title")), ("Delete", .tuple(thread)), ("Create", .tuple(VariantDictionary())),
    ]
    for call in calls {
      keyring.setLocked(true)
      keyring.user = .isAway
      try await caller.waitFor(Lock("locked", ["keyring"]))
      let client = try await caller.open("Client")
      let asked = keyring.questions
      let pending = Task.onGLib {
        try await caller.connection.call(
          "org.chappie", client, "org.chappie.Threads", call.method, call.arguments, timeout: patience,
          interactive: true)
      }
      try await eventually("the question of \(call.method)") { keyring.questions > asked }
      try await caller.call("Manager.Close", client)
      keyring.userReturns()
      _ = try? await pending.value
      #expect(try await caller.state() == "signed-in")
    }
  }

  // MARK: At rest

  /// No file holds prompts, answers, titles, arguments or outputs of tools, or error messages in plaintext.
  @Test func noFileHoldsPlaintext() async throws {
    let (world, caller) = try await World.signedIn()
    let thread = try await caller.createThread()
    try await world.sandbox.play(
      #"""
      [{"endpoint":"responses","times":1,"tool_calls":[{"name":"whistle","arguments":{"tune":"Lorelei"}}]},
       {"endpoint":"responses","times":1,"text":"The nightingale sings."}]
      """#)
    let tool: VariantDictionary = [
      "name": "whistle", "input_schema": #"{"type":"object","properties":{"tune":{"type":"string"}}}"#,
    ]
    let turn = try await caller.stream("Brunhilde asks", to: thread, ["tools": [tool]])
    let call = try await caller.signal("ToolCallRequested").arguments.member(1, "call", as: String.self)
    try await caller.call("Client.SubmitToolResult", turn.id, call, "Siegfried whistles", VariantDictionary())
    _ = try await turn.end().answer
    try await caller.call("Threads.Rename", thread, "Wotan")
    try await caller.call("Threads.Compact", thread, "Fafner sleeps.")
    let stored = try await caller.thread(thread)
    #expect(stored.kinds.dropFirst() == [["compaction"]])
    let events = stored.turns[0].events.filter { $0.kind != "payload" }
    #expect(events.map(\.kind) == ["input", "tool-call", "tool-output", "output"])
    #expect(events[2].output == "Siegfried whistles")
    let home = try world.directories.files().filter { !$0.key.hasPrefix("logs/") || $0.key.contains("chappied") }
    #expect(home.keys.contains { $0.contains("chappie/threads/") && $0.hasSuffix("/threads.db") })
    for (name, data) in home {
      for word in ["Brunhilde", "Lorelei", "nightingale", "Siegfried", "Wotan", "Fafner", "whistle"] {
        #expect(!data.contains(word), "\(name) has '\(word)'")
      }
    }
  }
}
