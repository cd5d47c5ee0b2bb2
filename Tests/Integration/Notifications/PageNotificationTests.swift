// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The notification of a sign-in in the browser.
@Suite(.worlds) @GLibActor
struct PageNotificationTests {
  @Test func aClickOpensThePage() async throws {
    try await World.with(.browser()) { world in
      let portal = try await DesktopPortal(world)
      let server = try await NotificationServer(world)
      let page = try await world.user.start(try await world.caller())
      let waiting = try await server.notification(1)
      #expect(waiting.summary == "Sign in to ChatGPT")
      #expect(
        waiting.body == """
          Continue in your browser.
          The address of the page, in a terminal: chappie sign-in
          Continue only if you started this sign-in yourself.
          """)
      // It shows the page of the sign-in that runs; `status` does not.
      let shown = try ChildProcess(
        "command", Binaries.chappie, ["sign-in", "--browser", "--no-open"], in: world.directories)
      world.adopt(shown)
      try await eventually("the page") { shown.output.contains(page) }
      #expect(try await !world.chappie("status", "--json").text.contains("authorization_uri"))
      #expect(waiting.actions == ["default", "Open page", "open-page", "Open page"])
      #expect(waiting.timeout == 0)
      #expect(portal.pages.isEmpty)

      try await server.click("open-page", waiting.id, token: "token-1")
      #expect(try await portal.page() == page)
      #expect(portal.pages.first?.token == "token-1")
      try await world.user.finish(page)
      let linked = try await server.notification(2)
      #expect(linked.replaced == waiting.id)
      #expect(linked.summary == "Signed in to ChatGPT")
      #expect(linked.body == "The account is ada@example.com.")
      try await server.waitUntilNothingIsShown()
      #expect(server.received.count == 2)
    }
  }

  @Test(arguments: ["decline", "cancel", "sign out"]) func itIsWithdrawnWhenTheSignInEnds(_ ending: String)
    async throws
  {
    try await World.with(.browser()) { world in
      let server = try await NotificationServer(world)
      let caller = try await world.caller()
      let page = try await world.user.start(caller)
      _ = try await server.notification(1)
      switch ending {
      case "decline": try await world.user.finish(page, deciding: ["decision": "decline"])
      case "cancel": try await caller.call("Session.CancelSignIn")
      default: try await caller.call("Session.SignOut")
      }
      try await server.waitUntilNothingIsShown()
      #expect(server.received.count == 1)
    }
  }

  @Test func aProgramThatShowsThePageNeedsNone() async throws {
    try await World.with(.browser()) { world in
      let server = try await NotificationServer(world)
      let caller = try await world.caller()
      let page = try await world.user.start(caller, ["notify": false])
      try await caller.catchUp()
      #expect(server.calls.isEmpty)
      // Another caller that does not show the page asks for the same sign-in.
      #expect(try await world.user.start(caller) == page)
      #expect(try await server.notification(1).actions.contains("open-page"))
    }
  }

  /// The registration and the rights of a sign-in depend on its method.
  @Test func aNewSignInKeepsTheMethod() async throws {
    try await World.with(.browser(["--access-token-lifetime", "1"])) { world in
      let portal = try await DesktopPortal(world)
      let server = try await NotificationServer(world)
      let caller = try await world.caller()
      try await world.user.signIn(caller, ["notify": false])
      try await world.sandbox.revokeRefreshTokens()
      try await world.sandbox.expireAccessTokens()
      _ = try await refusal { try await caller.send("hi") }
      try await caller.waitFor("reauthentication-required")
      let need = try await server.notification(1)
      #expect(need.summary == "Sign in to ChatGPT again")

      try await server.click("sign-in", need.id, token: "token-2")
      let opened = try await portal.page()
      #expect(portal.pages.first?.token == "token-2")
      #expect(query("client_id", of: opened)?.hasPrefix("oaiapp_") == true)
      #expect(query("login_hint", of: opened) == "ada@example.com")
      let waiting = try await server.notification(2)
      #expect(waiting.replaced == need.id)
      #expect(waiting.body.hasPrefix("Continue in your browser."))
      #expect(!waiting.body.contains("ada"))
      try await world.user.finish(opened)
      #expect(try await server.notification(3).summary == "Signed in to ChatGPT")
      #expect(try await caller.property("Session.AuthMethod") == "browser")
      #expect(try await world.sandbox.state().requests["usercode"] ?? 0 == 0)
    }
  }

  /// A person at the locked screen could connect an account of their own.
  @Test func thePageIsNotOfferedOverALockedScreen() async throws {
    try await World.with(.browser()) { world in
      let portal = try await DesktopPortal(world)
      let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
      let server = try await NotificationServer(world)
      let caller = try await world.caller()
      _ = try await world.user.start(caller)
      let waiting = try await server.notification(1)
      saver.setActive(true)
      try await caller.waitFor("locked", "Manager.LockState")
      try await server.waitUntilNothingIsShown()
      try await server.click("open-page", waiting.id)
      try await caller.catchUp()
      #expect(portal.pages.isEmpty)
      saver.setActive(false)
      #expect(try await server.notification(2).actions.contains("open-page"))
    }
  }
}
