// SPDX-License-Identifier: Apache-2.0

/// Introspection shows a caller only the objects that it may use, and names no account to an app in a sandbox.
@Suite(.worlds, .sandboxes) @GLibActor
struct IntrospectionRightsTests {
  private static let app = "org.example.App"
  private static let accounts = ObjectPath.chappie.appending("account")

  private func introspection(_ path: ObjectPath, _ caller: Caller) async throws -> String {
    try await caller.connection.call("org.chappie", path, "org.freedesktop.DBus.Introspectable", "Introspect")
      .member(0, "xml")
  }

  /// The nodes at and below a path that a caller finds by walking the tree.
  private func tree(_ path: ObjectPath, _ caller: Caller) async throws -> Set<String> {
    var found: Set<String> = []
    for name in try await introspection(path, caller).matches(of: /<node name="([^"]+)"/).map({ String($0.1) }) {
      let child = try #require(ObjectPath((path == .root ? "" : path.string) + "/" + name))
      found.insert(child.string)
      found.formUnion(try await tree(child, caller))
    }
    return found
  }

  @Test func introspectionShowsEachCallerOnlyItsOwnRights() async throws {
    let (world, outside) = try await World.signedIn()
    try await outside.signIn(.whenUnlocked, account: "work")
    try await eventually("the account") { try await tree(.chappie, outside).contains("/org/chappie/account/work") }
    let client = try await outside.open("Client")
    let other = try await world.caller()
    #expect(
      try await tree(.root, other)
        == ["/org", "/org/chappie", "/org/chappie/account", "/org/chappie/account/work"])
    let own = try await tree(.root, outside)
    #expect(own.isSuperset(of: [client.string, "/org/chappie/account/work"]))

    let app = try await world.caller(app: Self.app)
    #expect(try await tree(.root, app) == ["/org", "/org/chappie"])
    let root = try await introspection(.chappie, app)
    #expect(root.contains("org.chappie.Manager"))
    #expect(!root.contains("org.chappie.Client") && !root.contains("ObjectManager"))
    let opened = try await app.open("Client")
    let session: ObjectPath = try await app.property("Client.Session", at: opened)
    #expect(
      try await tree(.root, app)
        == [
          "/org", "/org/chappie", "/org/chappie/client", opened.string, "/org/chappie/session", session.string,
        ])
    #expect(try await introspection(opened, app).contains("org.chappie.Client"))
    #expect(try await app.open("Session") == session)
    #expect(try await tree(.root, outside) == own)
  }

  /// The answer is the same for another caller's object and for one that does not exist.
  @Test func anotherCallersObjectLooksLikeAMissingOne() async throws {
    let (world, outside) = try await World.signedIn()
    try await outside.signIn(.whenUnlocked, account: "work")
    let client = try await outside.open("Client")
    let session: ObjectPath = try await outside.open("Session", ["keychain_account": "home"])
    let clients = ObjectPath.chappie.appending("client")
    let callers = [try await world.caller(app: Self.app), try await world.caller()]
    for (index, caller) in callers.enumerated() {
      let absent = clients.appending("n4711")
      let paths = [client, session, clients] + (index == 0 ? [Self.accounts, Self.accounts.appending("work")] : [])
      for path in paths {
        for (interface, member, arguments) in [
          ("org.freedesktop.DBus.Introspectable", "Introspect", Variant.tuple()),
          ("org.freedesktop.DBus.Properties", "GetAll", .tuple("org.chappie.Client")),
          ("org.chappie.Client", "ClearContext", .tuple()), ("org.chappie.Client", "Nonsense", .tuple(1 as Int32)),
        ] {
          let there = try await refusal {
            try await caller.connection.call("org.chappie", path, interface, member, arguments)
          }
          let nowhere = try await refusal {
            try await caller.connection.call("org.chappie", absent, interface, member, arguments)
          }
          #expect(there.name == "AccessDenied")
          #expect(there.name == nowhere.name && there.message == nowhere.message, "\(path) \(member)")
        }
      }
    }
  }

  @Test func aCallerThatCannotBeInspectedFindsTheManagerAlone() async throws {
    let (world, outside) = try await World.signedIn()
    try await outside.signIn(.whenUnlocked, account: "work")
    for path in ["/", "/org/chappie", "/org/chappie/account", "/org/chappie/account/work"] {
      let output = try await world.run(
        "unshare", "--user", "--map-current-user", "gdbus", "call", "--session", "-d", "org.chappie", "-o", path,
        "-m", "org.freedesktop.DBus.Introspectable.Introspect")
      #expect(!output.text.contains("<node name=\"work\"") && !output.text.contains("<node name=\"account\""))
      #expect((output.status == 0) == ["/", "/org/chappie"].contains(path))
      #expect(!output.text.contains("org.chappie.Session"))
    }
  }

  /// An `ObjectManager` client asks for all objects once; signals tell it of later ones.
  @Test func sandboxedAppsReceiveNoSignalsAboutAccounts() async throws {
    let world = try await World.begin()
    let app = try await world.caller(app: Self.app)
    _ = try await app.open("Session")
    let outside = try await world.caller()
    let objects = try await outside.connection.call(
      "org.chappie", .chappie, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    #expect(objects.children.first?.children.isEmpty == true)
    let work = Self.accounts.appending("work")
    let session = try await outside.signIn(.whenUnlocked, account: "work")
    try await outside.signal("InterfacesAdded")
    #expect(try await outside.send("hi", at: work).contains("hi"))
    try await outside.call("Client.SelectModel", "gpt-5.5-mini", at: work)
    try await outside.signal("PropertiesChanged", at: work)
    try await outside.call("Session.SignOut", at: session)
    let removed = try await outside.signal("InterfacesRemoved")
    #expect(try removed.arguments.member(0, "object") == work)

    try await app.catchUp()
    #expect(app.signals("InterfacesAdded").isEmpty && app.signals("InterfacesRemoved").isEmpty)
    #expect(!app.signals.contains { $0.path.string.contains("account") || "\($0.arguments)".contains("work") })
  }
}
