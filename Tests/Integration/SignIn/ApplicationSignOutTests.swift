// SPDX-License-Identifier: Apache-2.0

/// The user signs applications out.
@Suite(.worlds, .sandboxes) @GLibActor
struct ApplicationSignOutTests {
  private static let app = "org.example.App"
  private static let widget = "org.example.Widget"

  private func signOut(_ app: String, _ options: VariantDictionary = [:], by caller: Caller) async throws
    -> [VariantDictionary]
  {
    try await caller.call("Manager.SignOutApplication", app, options).member(0, "signed_out")
  }

  private func owners(_ world: World) async throws -> [String] {
    try await world.keyring.items().map { "\($0.attributes["app-id"] ?? "") \($0.attributes["account"] ?? "")" }
      .sorted()
  }

  @Test func itsSessionsTellIt() async throws {
    let (world, outside) = try await World.signedIn()
    let app = try await world.caller(app: Self.app)
    let session = try await app.open("Session")
    try await app.signIn(at: session)
    let work = try await app.signIn(account: "work")
    let widget = try await world.caller(app: Self.widget)
    try await widget.signIn(at: widget.open("Session"))

    // One account, then the rest.
    let parts = try await signOut(Self.app, ["account": "work"], by: outside)
    #expect(parts.map { $0.text("account") } == ["work"])
    #expect(parts.map { $0.text("app") } == [Self.app])
    #expect(parts.map { $0.text("error") } == [nil])
    try await app.signal("StateChanged", at: work) { try $0.arguments.member(0, "state") == "signed-out" }
    #expect(try await app.state(at: session) == "signed-in")
    _ = try await signOut(Self.app, by: outside)
    try await app.signal("StateChanged", at: session) { try $0.arguments.member(0, "state") == "signed-out" }
    #expect(try await owners(world) == [" default", "\(Self.widget) default"])
    let state = try await world.sandbox.state()
    #expect(state.revokedRefreshTokens == 2)
    #expect(state.liveRefreshTokens == 2)
  }

  @Test func onlyTheUsersOwnProgramsMay() async throws {
    let (world, outside) = try await World.signedIn()
    let app = try await world.caller(app: Self.app)
    try await app.signIn(at: app.open("Session"))
    let widget = try await world.caller(app: Self.widget)
    for caller in [widget, app] {
      try await expectRefusal("AccessDenied") { try await signOut(Self.app, by: caller) }
    }
    // The user's own accounts are nobody's application.
    for unknown in [Self.widget, "", "default"] {
      try await expectRefusal("InvalidArgument") { try await signOut(unknown, by: outside) }
    }
    try await expectRefusal("InvalidArgument") { try await signOut(Self.app, ["account": "work"], by: outside) }
    #expect(try await owners(world).count == 2)
  }

  @Test func theCommandListsAndSignsOut() async throws {
    let (world, _) = try await World.signedIn()
    let app = try await world.caller(app: Self.app)
    try await app.signIn(at: app.open("Session", ["keychain_account": "work"]))
    try world.installDesktopFile(Self.app, "Name=Example\n")
    let listed = try await world.chappie("accounts")
    #expect(
      listed.text == """
        default  Signed in as ada@example.com (plus)

        Application                Account  Sign-in                Background use
        Example (org.example.App)  work     signed in with a code

        """)
    #expect(
      try await world.chappie("accounts", "--background", "deny", "--app", Self.app).text
        == "Background use is not allowed.\n")
    #expect(try await world.chappie("accounts", "--background", "allow").text == "Background use is allowed.\n")
    #expect(
      try await world.chappie("accounts", "--json").text == """
        {"account":"default","state":"signed-in","email":"ada@example.com","plan":"plus","method":"device-code","background":"allow"}
        {"app":"org.example.App","name":"Example","account":"work","state":"signed-in","method":"device-code","background":"deny"}

        """)
    let text = try await world.chappie("accounts").text
    #expect(text.contains("signed in with a code  not allowed\n"))
    #expect(text.hasSuffix("\n\nBackground use of your own programs: allowed\n"))

    for mistake in [
      ["accounts", "--app", Self.app], ["accounts", "--background", "always"],
      ["accounts", "--background", "allow", "--json"],
    ] { #expect(try await world.chappie(mistake).status == 2, "\(mistake)") }

    try await world.keyring.lock()
    let alone = try await world.chappie("accounts")
    #expect(alone.status == 0)
    #expect(alone.text.contains("default  Signed in"), "\(alone.text)")
    #expect(alone.text.contains("chappie: Applications are not listed. The keyring is locked"), "\(alone.text)")
    try await world.keyring.unlock()

    let unknown = try await world.chappie("sign-out", "--app", Self.widget)
    #expect(unknown.status == 1)
    #expect(
      unknown.text
        == "chappie: There is no such sign-in of \(Self.widget): chappie accounts lists those that there are.\n")
    // The server does not revoke it.
    try await world.sandbox.play(#"[{"endpoint":"revoke","status":503}]"#)
    let output = try await world.chappie("sign-out", "--app", Self.app)
    #expect(output.status == 12, "\(output.text)")
    #expect(output.text.hasPrefix("Signed out “work” of \(Self.app).\n"), "\(output.text)")
    #expect(try await owners(world) == [" default"])
  }

  @Test func anAccessGroupIsSignedOutByItsName() async throws {
    let world = try await World.begin()
    let group = AccessGroupTests.group
    try AccessGroupTests.define([Self.app], in: world.directories.configuration)
    let app = try await world.caller(app: Self.app)
    let session = try await app.open("Session", ["keychain_access_group": group])
    try await app.signIn(at: session)
    let listed = try await world.chappie("accounts").text
    #expect(listed.contains("access group \(group)  default  signed in with a code\n"), "\(listed)")
    #expect(try await world.chappie("sign-out", "--app", Self.app).status == 1)
    let output = try await world.chappie("sign-out", "--app", group)
    #expect(output.text == "Signed out “default” in the group \(group).\n")
    #expect(output.status == 0)
    #expect(try await app.state(at: session) == "signed-out")
  }
}
