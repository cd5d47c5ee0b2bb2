// SPDX-License-Identifier: Apache-2.0

/// The notification of a sign-in in the browser.
@Suite(.worlds) @GLibActor
struct PageNotificationTests {
  @Test func aClickOpensThePage() async throws {
    let world = try await World.begin(.browser())
    let portal = try await DesktopPortal(world)
    let server = try await NotificationServer(world)
    let caller = try await world.caller()
    // A program that shows the page needs no notification; another one that does not asks for the same sign-in.
    let page = try await world.user.start(caller, ["notify": false])
    try await caller.catchUp()
    #expect(server.calls.isEmpty)
    #expect(try await world.user.start(caller) == page)
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

    // A person at the locked screen could connect an account of their own.
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    try await saver.lock(caller)
    try await server.waitUntilNothingIsShown()
    try await server.click("open-page", waiting.id)
    try await caller.catchUp()
    #expect(portal.pages.isEmpty)
    saver.setActive(false)
    let again = try await server.notification(2)
    #expect(again.actions.contains("open-page"))

    try await server.click("open-page", again.id, token: "token-1")
    #expect(try await portal.page() == page)
    #expect(portal.pages.first?.token == "token-1")
    try await world.user.finish(page)
    let linked = try await server.notification(3)
    #expect(linked.replaced == again.id)
    #expect(linked.summary == "Signed in to ChatGPT")
    #expect(linked.body == "The account is ada@example.com.")
    try await server.waitUntilNothingIsShown()
    #expect(server.received.count == 3)
  }

  /// The registration and the rights of a sign-in depend on its method.
  @Test func aNewSignInKeepsTheMethod() async throws {
    let world = try await World.begin(.browser(["--access-token-lifetime", "1"]))
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
