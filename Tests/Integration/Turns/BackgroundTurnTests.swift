// SPDX-License-Identifier: Apache-2.0

/// Turns that nobody has asked for at the moment wait for the user's consent.
@Suite(.worlds) @GLibActor
struct BackgroundTurnTests {
  private static let background: VariantDictionary = ["background": true]

  private func set(_ choice: String, _ app: String = "", by caller: Caller) async throws {
    try await caller.call("Manager.SetBackgroundUse", app, choice)
  }

  private func requests(_ world: World) async throws -> Int? {
    try await world.sandbox.state().requests["responses"]
  }

  /// The user's answer for the user's own programs, as the service tells it.
  private func choice(_ caller: Caller) async throws -> String? {
    try await caller.call("Manager.ListCredentials", [:] as VariantDictionary)
      .member(0, "credentials", as: [VariantDictionary].self).first?.text("background")
  }

  /// A world in which background turns ask, or `choice` is set.
  private func begin(
    _ choice: String = "ask", _ plan: World.Plan = World.Plan()
  ) async throws -> (World, NotificationServer, Caller) {
    let (world, server, caller) = try await World.signedInNotifying(plan)
    try await set(choice, by: caller)
    return (world, server, caller)
  }

  // MARK: Answers

  @Test func aClickOnAllowLetsItAndLaterOnesRun() async throws {
    let (world, server, caller) = try await begin()
    let turn = try await caller.stream("hi", Self.background)
    let shown = try await server.notification(1)
    #expect(shown.summary == "Use ChatGPT in the background?")
    #expect(
      shown.body == """
        A program of yours wants to ask ChatGPT on its own, without a question from you.
        It uses your ChatGPT plan.
        In a terminal: chappie accounts --background allow
        """)
    #expect(shown.actions == ["allow", "Allow", "refuse", "Don't allow"])
    #expect(try await turn.snapshot().status == "waiting-for-approval")
    #expect(try await requests(world) == 0)
    try await server.click("allow", shown.id)
    #expect(try await turn.end().answer.text.contains("hi"))
    try await server.waitUntilNothingIsShown()
    #expect(try await caller.send("again", Self.background).contains("again"))
    #expect(server.received.count == 1)
    #expect(try await choice(caller) == "allow")
    let file = world.directories.state.appending(path: "background-use")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains(/^\[desktop-user\]\nAnswer=allow\nTime=[0-9]{10}\n$/), "\(text)")
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func aClickOnDontAllowRefusesItAndLaterOnes() async throws {
    let (world, server, caller) = try await begin()
    let turn = try await caller.stream("hi", Self.background)
    try await server.click("refuse", try await server.notification(1).id)
    let failure = try await turn.end().failure
    #expect(failure.name == "AccessDenied")
    #expect(failure.message.contains("chappie accounts --background allow"))
    try await expectRefusal("AccessDenied") { try await caller.send("hi", Self.background) }
    #expect(server.received.count == 1)
    #expect(try await requests(world) == 0)
    // A turn that somebody asks for needs no consent.
    #expect(try await caller.send("hi").contains("hi"))
  }

  /// Swift takes a composed and a decomposed letter for one; the file may hold both.
  @Test func groupsOfTheFileThatLookAlikeDoNoHarm() async throws {
    let (world, caller) = try await World.signedIn()
    let groups = "[org.example.Caf\u{E9}]\nAnswer=deny\n[org.example.Cafe\u{301}]\nAnswer=deny\n"
    let time = "Time=-9223372036854775808\n"
    try (groups + time + "[desktop-user]\nAnswer=allow\n" + time).write(
      to: world.directories.state.appending(path: "background-use"), atomically: true, encoding: .utf8)
    #expect(try await caller.send("hi", Self.background).contains("hi"))
    try await set("deny", by: caller)
    try await expectRefusal("AccessDenied") { try await caller.send("hi", Self.background) }
  }

  /// A locked keyring does not tell whether the sign-in needs consent, and a background turn prompts for no password.
  @Test func withoutAnAnswerTheSignInDecides() async throws {
    let (world, server, caller) = try await World.signedInNotifying()
    #expect(try await caller.send("hi", Self.background).contains("hi"))
    #expect(server.received.isEmpty)
    #expect(try await choice(caller) == nil)
    try await world.keyring.lock()
    try await world.service.restart()
    try await expectRefusal("Locked") { try await caller.send("hi", Self.background) }
  }

  /// The terms of a sign-in in the browser require consent.
  @Test func aSignInInTheBrowserAsks() async throws {
    let world = try await World.begin()
    let server = try await NotificationServer(world)
    let caller = try await world.caller()
    try await world.user.signIn(caller, ["notify": false])
    #expect(try await caller.property("Session.AuthMethod", as: String.self) == "browser")
    #expect(try await caller.send("hi").contains("hi"))
    #expect(server.received.isEmpty)
    let turn = try await caller.stream("hi", Self.background)
    let listed = try await world.chappie("accounts")
    #expect(listed.text.hasSuffix("\n\nBackground use of your own programs: asks first\n"), "\(listed.text)")
    try await server.click("allow", try await server.notification(1).id)
    #expect(try await turn.end().answer.text.contains("hi"))
    // The first use after a start of the service, before anything has read the credential.
    try await set("ask", by: caller)
    try FileManager.default.removeItem(at: world.directories.state.appending(path: "background-use"))
    try await world.service.restart()
    let second = try await caller.stream("again", Self.background)
    try await server.click("refuse", try await server.notification(2).id)
    #expect(try await second.end().failure.name == "AccessDenied")
  }

  @Test func withoutANotificationServerItFailsAtOnce() async throws {
    let (world, caller) = try await World.signedIn()
    try await set("ask", by: caller)
    let refused = try await refusal { try await caller.send("hi", Self.background) }
    #expect(refused.name == "AccessDenied")
    #expect(refused.message.hasSuffix("to allow it, run chappie accounts --background allow."))
    #expect(try await requests(world) == 0)
    try await set("allow", by: caller)
    #expect(try await caller.send("hi", Self.background).contains("hi"))
    // The server that asks ends.
    try await set("ask", by: caller)
    let server = try await NotificationServer(world)
    let turn = try await caller.stream("hi", Self.background)
    _ = try await server.notification(1)
    #expect(try await turn.snapshot().status == "waiting-for-approval")
    try await server.quit()
    #expect(try await turn.end().failure.name == "AccessDenied")
  }

  /// An answer that is not understood allows nothing.
  @Test func aDamagedFileAsks() async throws {
    let (world, server, caller) = try await begin("allow")
    for (number, text) in ["nonsense", "[desktop-user]\nAnswer=always\n", "[desktop-user]\n"].enumerated() {
      try text.write(
        to: world.directories.state.appending(path: "background-use"), atomically: true, encoding: .utf8)
      let turn = try await caller.stream("hi", Self.background)
      try await server.click("allow", try await server.notification(number + 1).id)
      _ = try await turn.end().answer
      #expect(try await choice(caller) == "allow", "\(text)")
    }
  }

  // MARK: One question

  @Test func turnsWaitForOneQuestionThatAProgramMayAnswer() async throws {
    let (world, server, caller) = try await begin()
    let other = try await world.caller()
    let turns = [
      try await caller.stream("one", Self.background), try await other.stream("two", Self.background),
    ]
    let line = try await caller.ask("three", Self.background)
    let thread = try await caller.createThread()
    let inThread = try await caller.stream("four", to: thread, Self.background)
    _ = try await server.notification(1)
    for turn in turns + [line.turn, inThread] {
      try await turn.wait(for: "waiting-for-approval")
    }
    #expect(try await requests(world) == 0)
    try await set("allow", by: other)
    for turn in turns + [inThread] { _ = try await turn.end().answer }
    #expect(try await line.end().name == "completed")
    try await server.waitUntilNothingIsShown()
    #expect(server.received.count == 1)
  }

  @Test func theQuestionIsWithdrawnWhenNoTurnWaitsForIt() async throws {
    let (world, server, caller) = try await begin()
    let first = try await caller.stream("one", Self.background)
    let second = try await caller.stream("two", Self.background)
    _ = try await server.notification(1)
    try await first.cancel()
    #expect(try await first.end().failure.name == "Cancelled")
    #expect(server.shown.count == 1)
    try await second.cancel()
    try await server.waitUntilNothingIsShown()
    // The next one asks again. Nothing handles a click after the end of the service.
    _ = try await caller.stream("three", Self.background)
    _ = try await server.notification(2)
    await world.service.end()
    try await server.waitUntilNothingIsShown()
  }

  /// Waiting turns take places of their program, as running ones do.
  @Test func waitingTurnsCount() async throws {
    let (_, server, caller) = try await begin()
    for _ in 0..<64 { _ = try await caller.stream("hi", Self.background) }
    try await expectRefusal("LimitExceeded") { try await caller.stream("hi", Self.background) }
    #expect(server.received.count <= 1)
    try await set("deny", by: caller)
    try await eventually("the end of all") {
      try await caller.property("Client.ActiveTurns", as: [String].self).isEmpty
    }
  }

  // MARK: Callers that leave

  private func leave(_ world: World, _ text: String) async throws -> Turn {
    let listener = try await world.caller()
    try await listener.catchUp()
    try await world.sandbox.play(#"[{"endpoint":"responses","hold_after":1,"text":"\#(text)"}]"#)
    do {
      let caller = try await Caller(world.directories.busAddress)
      let turn = try await caller.stream("hi", ["broadcast": true])
      try await eventually("a part of the answer") { try await !turn.snapshot().text.isEmpty }
      return Turn(id: turn.id, path: .chappie, caller: listener)
    }
  }

  private static let words = String(repeating: "word ", count: 100) + "end"

  /// A broadcast turn that a script for `sh` starts at a terminal.
  private func startAtTerminal(_ world: World, _ script: (_ command: String) -> String) async throws -> Turn {
    let listener = try await world.caller()
    try await listener.catchUp()
    try await world.sandbox.play(#"[{"endpoint":"responses","hold_after":1,"text":"\#(Self.words)"}]"#)
    let command = "busctl --user call org.chappie /org/chappie org.chappie.Client Stream sa{sv} hi 1 broadcast b true"
    let output = try await Output.of("script", ["-qec", script(command), "/dev/null"], in: world.directories)
    return Turn(id: try #require(output.text.firstMatch(of: /"(.+)"/)).1.description, path: .chappie, caller: listener)
  }

  @Test func aCommandThatAPersonWaitsForNeedsNoConsent() async throws {
    let (world, server, _) = try await begin("ask", World.Plan(transport: .http))
    let turn = try await startAtTerminal(world) { $0 }
    try await eventually("an answer to hold") { try await world.sandbox.state().openStreams == 1 }
    try await world.sandbox.release()
    #expect(try await turn.end().answer.text == Self.words)
    #expect(server.received.isEmpty)
    // Nobody waits for a job in the background of a shell.
    let job = try await startAtTerminal(world) { "set -m; \($0) & wait" }
    _ = try await server.notification(1)
    #expect(try await job.snapshot().status == "waiting-for-approval")
  }

  @Test func aBroadcastTurnIsPausedWhenItsCallerLeaves() async throws {
    let (world, server, _) = try await begin("ask", World.Plan(transport: .http))
    let turn = try await leave(world, Self.words)
    let shown = try await server.notification(1)
    try await world.sandbox.release()
    // The stand-in has sent all of the answer, and the service has not read it.
    try await eventually("the end of the answer") { try await world.sandbox.state().openStreams == 0 }
    let (status, text, _) = try await turn.snapshot()
    #expect(status == "waiting-for-approval")
    #expect(text.count < Self.words.count)
    try await server.click("allow", shown.id)
    #expect(try await turn.end().answer.text == Self.words)
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aBroadcastTurnEndsWithoutConsentWhenItsCallerLeaves(over transport: World.Plan.Transport) async throws {
    let (world, server, _) = try await begin("deny", World.Plan(transport: transport))
    let turn = try await leave(world, Self.words)
    let (error, message, details) = try await turn.end().failure
    #expect(error == "AccessDenied")
    #expect(message.contains("chappie accounts --background allow"))
    #expect(details.text("partial_text")?.hasPrefix("word") == true, "\(details)")
    #expect(server.received.isEmpty)
  }

  // MARK: Sandboxed apps

  @Test(.sandboxes)
  func eachAppHasItsOwnAnswer() async throws {
    let (world, server, outside) = try await begin("deny")
    let (app, client) = try await world.signedInApp(notifying: false)
    try await expectRefusal("AccessDenied") { try await set("allow", "org.example.App", by: app) }
    #expect(try await app.send("hi", Self.background, at: client).contains("hi"))
    try world.installDesktopFile("org.example.App", "Name=Example\u{202E} App\nName[de]=Beispiel\n")
    try await set("ask", "org.example.App", by: outside)
    let turn = try await app.stream("hi", Self.background, at: client)
    let shown = try await server.notification(1)
    #expect(
      shown.body.hasPrefix(
        "Example App (org.example.App) wants to ask ChatGPT on its own, without a question from you.\n"))
    #expect(shown.body.hasSuffix("chappie accounts --background allow --app org.example.App"))
    try await server.click("refuse", shown.id)
    let failure = try await turn.end().failure
    #expect(failure.name == "AccessDenied")
    #expect(failure.message.hasSuffix("run chappie accounts --background allow --app org.example.App."))
    #expect(try await choice(outside) == "deny")
    try await expectRefusal("InvalidArgument") { try await set("allow", "../x", by: outside) }
    try await expectRefusal("InvalidArgument") { try await set("always", by: outside) }
  }
}

extension World {
  /// Installs the desktop file of an app, as Flatpak exports it.
  func installDesktopFile(_ app: String, _ lines: String) throws {
    let folder = directories.data.appending(path: "applications")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try "[Desktop Entry]\nType=Application\nExec=true\n\(lines)".write(
      to: folder.appending(path: "\(app).desktop"), atomically: true, encoding: .utf8)
  }
}
