// SPDX-License-Identifier: Apache-2.0

/// Sandboxed apps use the objects that they open, with credentials of their own.
@Suite(.worlds, .sandboxes) @GLibActor
struct SandboxedAppTests {
  private static let app = "org.example.App"
  private static let widget = "org.example.Widget"
  private static let state = "org.freedesktop.DBus.Properties.Get"

  @Test func anAppMayUseOnlyTheObjectsThatItOpens() async throws {
    let (world, outside) = try await World.signedIn()
    let account = try await outside.signIn(account: "work")
    let app = try await world.caller(app: Self.app)
    #expect(try await app.property("Manager.Version", as: UInt32.self) == 1)
    for path in [ObjectPath.chappie, .chappie.appending("account").appending("work"), account] {
      try await expectRefusal("AccessDenied", saying: Self.app, "OpenSession or OpenClient") {
        try await app.state(at: path)
      }
      try await expectRefusal("AccessDenied") { try await app.call("Session.SignOut", at: path) }
    }
    try await expectRefusal("AccessDenied") { try await app.send("hi") }
    try await expectRefusal("AccessDenied") { try await app.stream("hi") }
    try await expectRefusal("AccessDenied") {
      try await app.connection.call(
        "org.chappie", .chappie, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    }

    // Its account has the names of the user's account and another credential.
    let session = try await app.open("Session")
    #expect(try await app.state(at: session) == "signed-out")
    let client = try await app.open("Client")
    #expect(try await app.property("Client.Session", at: client) == session)
    try await expectRefusal("MissingCredential") { try await app.send("hi", at: client) }
    try await app.signIn(at: session)
    #expect(try await app.send("hi", at: client).contains("hi"))
    try await app.call("Manager.Close", client)
    try await app.call("Manager.Close", session)
    #expect(try await outside.state() == "signed-in")
  }

  /// The user may act on an app's objects; no other app may.
  @Test func onlyTheUserMayActForAnApp() async throws {
    let (world, outside) = try await World.signedIn()
    let app = try await world.caller(app: Self.app)
    try await app.signIn(at: try await app.open("Session"))
    let client = try await app.open("Client")
    try await app.register([Tools.named("delete", policy: "ask")], at: client)
    let turn = try await app.stream("use delete", at: client)
    _ = try await turn.approvalRequest()

    let listed: [VariantDictionary] = try await outside.call("Manager.ListApprovals").member(0, "approvals")
    #expect(listed.map { $0.text("app") } == [Self.app])
    let approval = try #require(listed.first?.text("approval"))
    for rival in [try await world.caller(app: Self.widget), app] {
      let calls: [@GLibActor () async throws -> Void] = [
        { try await rival.call("Manager.ListApprovals") }, { try await rival.call("Manager.GetApproval", approval) },
        { try await rival.call("Manager.AnswerApproval", approval, true, "") },
        { try await rival.call("Client.ResolveApproval", turn.id, try await turn.approvalRequest(), true, "") },
      ]
      for call in calls { #expect(try await refusal(of: call).name == "AccessDenied") }
    }
    #expect(try await world.chappie("approvals").text.hasPrefix("\(approval)  delete, of \(Self.app)\n{}\n"))
    #expect(
      try await world.chappie("approvals", "deny", approval, "not", "now").text == "Denied: the tool does not run.\n")
    #expect(try await turn.end().answer.text.hasSuffix("The user did not allow this call: not now"))
    try await expectRefusal("InvalidArgument") {
      try await outside.call("Manager.AnswerApproval", approval, true, "")
    }
    #expect(try await world.chappie("approvals").text == "No tool call waits for approval.\n")
  }

  @Test func eachAppHasItsOwnKeyringItem() async throws {
    let (world, outside) = try await World.signedIn()
    let app = try await world.caller(app: Self.app)
    let session = try await app.open("Session")
    try await app.signIn(at: session)
    let widget = try await world.caller(app: Self.widget)
    let other = try await widget.open("Session")
    #expect(other != session)
    #expect(try await widget.state(at: other) == "signed-out")
    try await widget.signIn(at: other)
    // The paths are easy to guess.
    for caller in [widget, outside] {
      try await expectRefusal("AccessDenied") { try await caller.state(at: session) }
      try await expectRefusal("InvalidArgument") { try await caller.call("Manager.Close", session) }
    }
    // The same app, started again, has to open it too.
    let again = try await world.caller(app: Self.app)
    try await expectRefusal("AccessDenied") { try await again.state(at: session) }
    #expect(try await again.open("Session") == session)
    #expect(try await again.state(at: session) == "signed-in")

    let items = try await world.keyring.items()
    #expect(items.map { $0.attributes["app-id"] ?? "" }.sorted() == ["", Self.app, Self.widget])
    #expect(Set(items.map { $0.attributes["account"] }) == ["default"])
    #expect(Set(items.map(\.secret)).count == 3)

    try await widget.call("Session.SignOut", at: other)
    #expect(try await widget.state(at: other) == "signed-out")
    #expect(try await app.state(at: session) == "signed-in")
    try await app.call("Session.SignOut", at: session)
    #expect(try await outside.send("hi").contains("hi"))
    #expect(try await world.keyring.items().map { $0.attributes["app-id"] } == [""])
  }

  /// The seal of an item names its slot: a program that can write to the keyring cannot give one app's item to another.
  @Test func anItemOfAnotherAppDoesNotOpen() async throws {
    let world = try await World.begin()
    let app = try await world.caller(app: Self.app)
    let session = try await app.open("Session")
    try await app.signIn(at: session)
    let line = try #require(try await world.keyring.items().first).secret
    let outside = try await world.signedInCaller()
    #expect(try await world.keyring.items().count == 2)
    try await app.call("Session.SignOut", at: session)
    try await world.keyring.changeSecret(of: "default") { _ in String(decoding: line, as: UTF8.self) }
    try await world.service.restart()
    #expect(try await outside.state() == "signed-out")
    #expect(try await outside.lastError().text("message")?.contains("damaged") == true)
  }

  /// Only root can make a sandbox without a user namespace.
  @Test func anAppMayCallTheBusItself() async throws {
    try await World.signedIn(each: geteuid() == 0 ? [false, true] : [false]) { world, _, sharesUserNamespace in
      var sandbox = try AppSandbox(app: Self.app, in: world.directories)
      sandbox.sharesUserNamespace = sharesUserNamespace
      let version = try await sandbox.gdbus(Self.state, "org.chappie.Manager", "Version")
      #expect(version.text == "(<uint32 1>,)\n")
      let state = try await sandbox.gdbus(Self.state, "org.chappie.Session", "State")
      #expect(state.status == 1)
      #expect(state.text.contains("org.chappie.Error.AccessDenied: \(Self.app) runs in a sandbox"))
      let session = try await sandbox.gdbus("org.chappie.Manager.OpenSession", "{}")
      #expect(session.text.hasPrefix("(objectpath '/org/chappie/session/"))
    }
  }
}
