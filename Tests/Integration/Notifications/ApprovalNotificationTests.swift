// SPDX-License-Identifier: Apache-2.0

/// The desktop asks the user to approve a tool call when no program does.
@Suite(.worlds) @GLibActor
struct ApprovalNotificationTests {
  /// A turn with a tool call that waits for approval.
  private func ask(_ caller: Caller, tool: String = "delete", arguments: String = "{}") async throws -> Turn {
    try await caller.register([["name": tool, "input_schema": #"{"type":"object"}"#, "policy": "ask"]])
    let turn = try await caller.stream("use \(tool) \(arguments)")
    _ = try await turn.approvalRequest()
    return turn
  }

  /// Starts such a turn with the exact text of the model's arguments.
  private func ask(_ caller: Caller, _ world: World, written arguments: String) async throws -> Turn {
    try await caller.register([["name": "delete", "input_schema": #"{"type":"object"}"#, "policy": "ask"]])
    let text = String(decoding: try JSONEncoder().encode(arguments), as: UTF8.self)
    try await world.sandbox.callTools(#"[{"name":"delete","arguments":\#(text)}]"#)
    let turn = try await caller.stream("go")
    _ = try await turn.approvalRequest()
    return turn
  }

  // MARK: Answers

  @Test(arguments: [NotificationServer.Manner.answers, .closesClickedNotifications])
  func aClickOnApproveLetsTheToolRun(_ manner: NotificationServer.Manner) async throws {
    let (_, server, caller) = try await World.signedInNotifying(World.Plan(), manner)
    let turn = try await ask(caller, arguments: #"{"file":"<a>&.txt"}"#)
    let shown = try await server.notification(1)
    #expect(shown.summary == "ChatGPT wants to use a tool")
    #expect(
      shown.body == """
        delete {&quot;file&quot;:&quot;&lt;a&gt;&amp;.txt&quot;}
        The tool belongs to a program of yours.
        Approve only what you asked for; without an answer it does not run.
        """)
    #expect(shown.actions == ["approve", "Approve", "deny", "Deny"])
    #expect(shown.timeout == 0)
    #expect(shown.hints.text("category") == "x-chappie.approval")
    #expect(shown.hints.text("desktop-entry") == "org.chappie")
    // A click beside the buttons decides nothing.
    if case .answers = manner { try await server.click("default", shown.id) }
    try await server.click("approve", shown.id + 1)
    try await caller.catchUp()
    #expect(try await turn.snapshot().status == "waiting-for-approval")
    try await server.click("approve", shown.id)
    try await turn.wait(for: "waiting-for-tool")
    try await server.waitUntilNothingIsShown()
    try await caller.submit("done", for: try await turn.requestedCall().id, of: turn)
    #expect(try await turn.end().answer.text == "The tool delete said: done")
    #expect(server.received.count == 1)
  }

  /// A server may report the click before this service has learned the notification's id.
  @Test(arguments: [true, false]) func aClickAtOnceIsAnAnswer(_ beforeReply: Bool) async throws {
    let (_, server, caller) = try await World.signedInNotifying(World.Plan(), .clicks("deny", beforeReply: beforeReply))
    let turn = try await ask(caller)
    #expect(try await turn.end().answer.text == "The tool delete said: The user did not allow this call.")
    try await server.waitUntilNothingIsShown()
    #expect(server.received.count == 1)
  }

  /// The call keeps waiting for programs and for its time limit. A lock does not show it again.
  @Test func dismissingTheNotificationIsNoAnswer() async throws {
    let (world, server, caller) = try await World.signedInNotifying()
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    let turn = try await ask(caller)
    try await server.dismiss(try await server.notification(1).id)
    for state in ["locked", "unlocked"] {
      saver.setActive(state == "locked")
      try await caller.waitFor(state, "Manager.LockState")
    }
    #expect(try await turn.snapshot().status == "waiting-for-approval")
    try await caller.resolve(try await turn.approvalRequest(), of: turn, false, reason: "no")
    #expect(try await turn.end().answer.text.hasSuffix("The user did not allow this call: no"))
    #expect(server.received.count == 1)
  }

  // MARK: Withdrawn

  @Test func theNotificationIsWithdrawnWhenTheCallEnds() async throws {
    let (world, server, caller) = try await World.signedInNotifying()
    // A program that answers first leaves nothing to show.
    let first = try await ask(caller, tool: "move")
    try await caller.resolve(try await first.approvalRequest(), of: first, false)
    _ = try await first.end().answer
    #expect(server.received.isEmpty)
    try await world.each(["resolve", "cancel", "kill", "end"]) { ending in
      let before = server.received.count
      let turn = try await ask(caller)
      _ = try await server.notification(before + 1)
      switch ending {
      case "resolve": try await caller.resolve(try await turn.approvalRequest(), of: turn, false)
      case "cancel": try await turn.cancel()
      case "kill":
        try await server.killService(world)
        try await world.service.restart()
      default: await world.service.end()
      }
      try await server.waitUntilNothingIsShown()
      #expect(server.received.count == before + 1)
    }
    try await world.service.restart()
    do {
      let turn = try await ask(try await Caller(world.directories.busAddress))
      _ = try await server.notification(5)
      withExtendedLifetime(turn.caller) {}
    }
    try await server.waitUntilNothingIsShown()
  }

  @Test func twoQuestionsAreTwoNotifications() async throws {
    let (world, server, caller) = try await World.signedInNotifying()
    try await world.sandbox.offerPlainModel()
    try await caller.register([Tools.named("delete", policy: "ask"), Tools.named("move", policy: "ask")])
    let turn = try await caller.stream("use delete\nuse move")
    _ = try await server.notification(2)
    #expect(server.shown.count == 2)
    let delete = try #require(server.received.first { $0.body.hasPrefix("delete") })
    try await server.click("deny", delete.id)
    try await eventually("one question") { server.shown.count == 1 }
    #expect(try await turn.snapshot().status == "waiting-for-approval")
    try await server.click("deny", try #require(server.shown.keys.first))
    _ = try await turn.end().answer
    #expect(try turn.endedCalls.map(\.status) == ["denied", "denied"])
  }

  // MARK: The lock

  /// A person at the locked screen must not answer an earlier question in any way.
  @Test func noCallIsApprovedWhileLocked() async throws {
    let (world, server, caller) = try await World.signedInNotifying()
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    try await world.each(["screen", "keyring"]) { what in
      let before = server.received.count
      let turn = try await ask(caller)
      let call = try await turn.approvalRequest()
      let first = try await server.notification(before + 1)
      let approval = String(try #require(try await world.chappie("approvals").text.firstMatch(of: /ask-\w+/)).output)

      if what == "screen" { saver.setActive(true) } else { try await world.keyring.lock() }
      try await caller.waitFor("locked", "Manager.LockState")
      try await server.waitUntilNothingIsShown()
      try await server.click("approve", first.id)
      try await expectRefusal("Locked") { try await caller.resolve(call, of: turn, true) }
      try await expectRefusal("Locked") { try await caller.call("Manager.AnswerApproval", approval, true, "") }
      #expect(try await world.chappie("approvals", "approve", approval).status == 4)
      #expect(try await turn.snapshot().status == "waiting-for-approval")

      if what == "screen" { saver.setActive(false) } else { try await world.keyring.unlock() }
      let second = try await server.notification(before + 2)
      #expect(second.body == first.body)
      try await server.click("approve", second.id)
      try await turn.wait(for: "waiting-for-tool")
      try await server.waitUntilNothingIsShown()
      #expect(server.received.count == before + 2)
    }
    // It can be denied meanwhile.
    let turn = try await ask(caller)
    try await saver.lock(caller)
    try await caller.resolve(try await turn.approvalRequest(), of: turn, false)
    try await eventually("a denied call") { try turn.endedCalls.map(\.status) == ["denied"] }
  }

  // MARK: The text

  /// The model's text must neither look like the service's text nor hide a part of itself.
  @Test func argumentsCannotForgeLines() async throws {
    let (world, server, caller) = try await World.signedInNotifying(capabilities: ["actions", "body"])
    let turn = try await ask(
      caller, world, written: "{\"t\":\n\n\"a\u{202E}b\",\"\\u0063md\":\"\\u0072m \\n-rf\"}")
    #expect(try await turn.requestedCall().arguments.contains("\u{202E}"))
    let body = try await server.notification(1).body
    #expect(body.hasPrefix(#"delete {"t": "a\u202eb","cmd":"rm \n-rf"}"# + "\nThe tool belongs"))
    #expect(body.split(separator: "\n").count == 3)
  }

  /// A person who sees a part must not approve the whole.
  @Test func aTruncatedCallCannotBeApprovedInANotification() async throws {
    let (world, server, caller) = try await World.signedInNotifying()
    let note = String(repeating: "x", count: 200)
    let turn = try await ask(caller, world, written: #"{"note":"\#(note)","cmd":"rm -rf ~"}"#)
    let shown = try await server.notification(1)
    #expect(
      shown.body == """
        delete would get more than can be shown here.
        The tool belongs to a program of yours.
        To read all of it and answer, in a terminal: chappie approvals
        """)
    #expect(shown.actions == ["deny", "Deny"])
    try await server.click("approve", shown.id)
    try await caller.catchUp()
    #expect(try await turn.snapshot().status == "waiting-for-approval")
    let listed = try await world.chappie("approvals")
    #expect(listed.text.contains(#""cmd":"rm -rf ~"}"#), "\(listed.text)")
    let id = try #require(listed.text.firstMatch(of: /ask-\w+/)).output
    #expect(try await world.chappie("approvals", "approve", String(id)).text == "Approved: the tool runs once.\n")
    try await turn.wait(for: "waiting-for-tool")
    try await server.waitUntilNothingIsShown()
  }

  // MARK: Without answers

  @Test func programsAreAskedWhereNotificationsAreOff() async throws {
    let world = try await World.begin(World.Plan(configuration: "[Notifications]\nEnabled=false\n"))
    let server = try await NotificationServer(world)
    let caller = try await world.signedInCaller()
    let turn = try await ask(caller)
    try await caller.resolve(try await turn.approvalRequest(), of: turn, true)
    try await caller.submit("done", for: try await turn.requestedCall().id, of: turn)
    #expect(try await turn.end().answer.text == "The tool delete said: done")
    #expect(server.calls.isEmpty)
  }
}

extension Caller {
  /// Signs in where the stand-in approves at once, without a notification.
  func signIn(notifying: Bool, at path: ObjectPath = .chappie) async throws {
    try await call("Session.StartDeviceCodeSignIn", ["notify": notifying] as VariantDictionary, at: path)
    try await waitFor("linked", "Session.DeviceLinkState", at: path)
  }
}
