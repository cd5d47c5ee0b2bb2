// SPDX-License-Identifier: Apache-2.0

/// Notifications to the user on the desktop.
@Suite(.worlds) @GLibActor
struct NotificationTests {
  // MARK: From the notification to the sign-in

  @Test func aClickLeadsToANewSignIn() async throws {
    let world = try await World.begin(.attended)
    let browser = try Browser(world.directories)
    let server = try await NotificationServer(world)
    let caller = try await world.caller()
    try await caller.spend(world)

    let need = try await server.notification(1)
    #expect(need.replaced == 0)
    #expect(need.program == "Chappie")
    #expect(need.icon == "org.chappie")
    #expect(need.hints.text("desktop-entry") == "org.chappie")
    #expect(need.summary == "Sign in to ChatGPT again")
    #expect(need.body == "The sign-in has ended and cannot be renewed.\nIn a terminal: chappie sign-in")
    #expect(need.actions == ["default", "Sign in", "sign-in", "Sign in"])

    // Actions of other notifications, and from other programs, are ignored.
    try await server.click("sign-in", need.id + 1)
    try await server.click("open-page", need.id)
    let path = try #require(ObjectPath("/org/freedesktop/Notifications"))
    try caller.connection.emit(
      path, "org.freedesktop.Notifications", "ActionInvoked", .tuple(need.id, "sign-in"))
    try await caller.catchUp()
    #expect(try await caller.state() == "reauthentication-required")
    #expect(try await world.sandbox.state().requests["usercode"] == 1)

    try await server.click("sign-in", need.id)
    let waiting = try await server.notification(2)
    let code = try #require(
      try await caller.property("Session.DeviceCode", as: VariantDictionary.self).text("user_code"))
    #expect(waiting.replaced == need.id)
    #expect(waiting.body.contains(code))
    #expect(waiting.body.contains(world.sandbox.page))
    #expect(waiting.actions == ["default", "Open page", "open-page", "Open page"])
    #expect(waiting.timeout == 0)

    try await server.click("open-page", waiting.id, token: "token-1")
    #expect(try await browser.waitForPage() == "\(world.sandbox.page) token-1")

    try await world.sandbox.decide("approve", code)
    let linked = try await server.notification(3)
    #expect(linked.replaced == need.id)
    #expect(linked.summary == "Signed in to ChatGPT")
    #expect(linked.actions.isEmpty)
    #expect(try linked.hints.value("transient") == true)
    try await server.waitUntilNothingIsShown()
    #expect(server.received.count == 3)
    #expect(server.calls.filter { $0 == "GetCapabilities" }.count == 1)
    #expect(!server.received.contains { $0.body.contains("@") || $0.summary.contains("@") })
  }

  // MARK: Withdrawal

  /// It ends with the object of its sign-in too: what nobody waits for needs no user.
  @Test func theNotificationIsWithdrawnWhenTheSignInEnds() async throws {
    let (world, server, caller) = try await World.notifying()
    try await world.each(["decline", "cancel", "sign out", "close", "end of the service"]) { ending in
      let before = server.received.count
      let session =
        ending == "close" ? try await caller.open("Session", ["keychain_service": "com.example.tool"]) : .chappie
      let code = try await caller.startSignIn(at: session)
      let shown = try await server.notification(before + 1)
      #expect(shown.body.contains(code))
      #expect(shown.body.contains("This signs in com.example.tool.") == (ending == "close"))
      switch ending {
      case "decline": try await world.sandbox.decide("decline", code)
      case "cancel": try await caller.call("Session.CancelSignIn")
      case "sign out": try await caller.call("Session.SignOut")
      case "close": try await caller.call("Manager.Close", session)
      default:
        await world.service.end()
        #expect(server.shown.isEmpty)
      }
      try await server.waitUntilNothingIsShown()
      #expect(server.received.count == before + 1)
      #expect(server.calls.last == "CloseNotification")
    }
  }

  @Test func theNotificationGivesTheReasonOfAFailure() async throws {
    let (world, server, caller) = try await World.notifying()
    _ = try await caller.startSignIn()
    let waiting = try await server.notification(1)
    try await world.sandbox.play(#"[{"endpoint":"poll","status":500,"body":{"error":"out of <order>"}}]"#)
    let failed = try await server.notification(2)
    #expect(failed.replaced == waiting.id)
    #expect(failed.summary == "The sign-in to ChatGPT failed")
    #expect(failed.body == "The sign-in server refused with status 500: out of &lt;order&gt;.")
    #expect(try failed.hints.value("transient") == true)
    try await server.waitUntilNothingIsShown()
  }

  // MARK: The user's actions

  @Test func aDismissedNotificationReturnsOnlyWithNewText() async throws {
    let (world, server, caller) = try await World.notifying()
    try await caller.spend(world)
    try await server.dismiss(server.notification(1).id)
    _ = try await refusal { try await caller.send("hi") }
    let code = try await caller.startSignIn()
    let waiting = try await server.notification(2)
    #expect(waiting.body.contains(code))
    try await server.dismiss(waiting.id)
    try await caller.catchUp()
    #expect(server.received.count == 2)
    // Another server does not show it either.
    try await server.quit()
    let second = try await NotificationServer(world)
    try await world.sandbox.decide("approve", code)
    #expect(try await second.notification(1).summary == "Signed in to ChatGPT")
  }

  /// The page asks for the code, so the notification must not close with the click that opens the page. A click without
  /// effect is explained.
  @Test func whatAClickClosesIsShownAgain() async throws {
    let (world, server, caller) = try await World.notifying(.closesClickedNotifications)
    let browser = try Browser(world.directories)
    try await caller.spend(world)
    for count in 1...2 {
      try await world.sandbox.play(#"[{"endpoint":"usercode","status":404}]"#)
      try await server.click("default", server.notification(count).id)
      let need = try await server.notification(count + 1)
      #expect(need.summary == "Sign in to ChatGPT again")
      #expect(need.body.contains("turn it on in ChatGPT under Settings, Security."))
    }
    try await server.click("sign-in", server.notification(3).id)
    let waiting = try await server.notification(4)
    let code = try #require(
      try await caller.property("Session.DeviceCode", as: VariantDictionary.self).text("user_code"))
    #expect(waiting.body.contains(code))
    try await server.click("default", waiting.id)
    #expect(try await browser.waitForPage() == "\(world.sandbox.page) ")
    let again = try await server.notification(5)
    #expect(again.body == waiting.body)
    try await server.dismiss(again.id)
    try await world.sandbox.decide("approve", code)
    #expect(try await server.notification(6).summary == "Signed in to ChatGPT")
  }

  /// A service that was killed could not withdraw it.
  @Test func aCrashLeavesNoNotificationBehind() async throws {
    let (world, server, caller) = try await World.notifying()
    try await caller.spend(world)
    let first = try await server.notification(1)
    for count in 2...3 {
      try await server.killService(world)
      try await world.service.restart()
      #expect(try await caller.state() == "reauthentication-required")
      let again = try await server.notification(count)
      #expect(again.body == first.body)
      try await eventually("one notification") { server.shown.count == 1 }
    }
    let code = try await caller.startSignIn()
    #expect(try await server.notification(4).body.contains(code))
    try await server.killService(world)
    try await world.service.restart()
    try await eventually("one notification") { server.shown.values.map(\.body) == [first.body] }
  }

  /// Each server counts on its own: an id of an earlier one is another program's now.
  @Test func afterACrashNothingOfAnotherServerIsClosed() async throws {
    let world = try await World.begin(.attended)
    let first = try await NotificationServer(world)
    _ = try await world.caller().startSignIn()
    _ = try await first.notification(1)
    try await first.killService(world)
    try await first.quit()
    let second = try await NotificationServer(world)
    try await world.service.restart()
    let caller = try await world.caller()
    try await caller.signInQuietly(world)
    try await caller.catchUp()
    #expect(second.calls.isEmpty)
  }

  // MARK: Callers

  @Test func aSlotHasOneNotificationForAllItsSessions() async throws {
    let (world, server, caller) = try await World.notifying()
    let other = try await world.caller()
    let session = try await other.open("Session", ["model": "gpt-test"])
    let work = try await other.open("Session", ["keychain_account": "work"])
    let code = try await caller.startSignIn()
    #expect(try await other.startSignIn(at: session) == code)
    let workCode = try await other.startSignIn(at: work)
    _ = try await server.notification(2)
    try await world.sandbox.decide("approve", code)
    let linked = try await server.notification(3)
    #expect(server.received.filter { $0.body.contains(code) }.count == 1)
    #expect(server.shown.count == 2)
    let workID = try #require(server.received.first { $0.body.contains(workCode) }?.id)
    #expect(linked.id != workID)
    #expect(server.shown[workID]?.body.contains("account “work”") == true)
  }

  // MARK: The lock

  /// A person at the locked screen who sees the code could link it to an account of their own. A click there does
  /// nothing.
  @Test func aCodeIsNotShownOverALockedScreen() async throws {
    let (world, server, caller) = try await World.notifying(.closesClickedNotifications)
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    try await caller.spend(world)
    let need = try await server.notification(1)
    try await saver.lock(caller)
    for action in ["default", "sign-in"] { try await server.click(action, need.id) }
    try await caller.catchUp()
    #expect(try await caller.property("Session.DeviceLinkState", as: String.self) != "requesting-code")
    #expect(try await caller.state() == "reauthentication-required")
    saver.setActive(false)
    // The click closed the notification, and the user has not seen it.
    try await server.click("sign-in", try await server.notification(2).id)
    try await caller.waitFor("signing-in")

    let waiting = try await server.notification(3)
    #expect(waiting.body.contains("Code: "))
    try await saver.lock(caller)
    try await server.waitUntilNothingIsShown()
    saver.setActive(false)
    #expect(try await server.notification(4).body == waiting.body)
  }
}

extension Caller {
  /// Signs in as a program that shows the code itself, and approves as the user.
  func signInQuietly(_ world: World, at path: ObjectPath = .chappie) async throws {
    let quiet: VariantDictionary = ["notify": false]
    let reply = try await call("Session.StartDeviceCodeSignIn", quiet, at: path)
    try await world.sandbox.decide("approve", try reply.member(0, "user_code"))
    try await waitFor("signed-in", at: path)
  }

  /// Signs in, and has the renewal of the sign-in refused.
  func spend(_ world: World, at path: ObjectPath = .chappie) async throws {
    try await signInQuietly(world, at: path)
    try await world.sandbox.revokeRefreshTokens()
    try await world.sandbox.expireAccessTokens()
    let client = path == .chappie ? path : try await open("Client", ["keychain_account": "work"])
    _ = try await refusal { try await send("hi", at: client) }
    try await waitFor("reauthentication-required", at: path)
  }
}
