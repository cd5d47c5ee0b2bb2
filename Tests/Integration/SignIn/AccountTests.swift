// SPDX-License-Identifier: Apache-2.0

/// Further accounts are objects of their own, which `org.freedesktop.DBus.ObjectManager` lists.
@Suite(.worlds) @GLibActor
struct AccountTests {
  private let work = ObjectPath.chappie.appending("account").appending("work")

  /// Signs in to an account through a session, as a program with several accounts does.
  private func signIn(_ account: String, _ caller: Caller) async throws {
    let session = try await caller.signIn(account: account)
    try await caller.call("Manager.Close", session)
  }

  private func managedObjects(_ caller: Caller) async throws -> [String: Variant] {
    let reply = try await caller.connection.call(
      "org.chappie", .chappie, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    let objects = try reply.children[0].children.map { entry in
      (try ObjectPath(variant: entry.children[0]).string, entry.children[1])
    }
    return Dictionary(uniqueKeysWithValues: objects)
  }

  @Test func anAccountAppearsAndGoesWithItsCredential() async throws {
    let (world, caller) = try await World.signedIn()
    let other = try await world.caller()
    #expect(try await managedObjects(other).isEmpty)

    try await signIn("work", caller)
    let added = try await other.signal("InterfacesAdded")
    #expect(added.path == .chappie)
    #expect(try added.arguments.member(0, "object") == work)
    let expected = ["org.chappie.Client", "org.chappie.Session", "org.chappie.Threads"]
    #expect(interfaces(added.arguments.children[1]) == expected)
    let objects = try await managedObjects(other)
    #expect(objects.keys.sorted() == [work.string])
    let listed = try #require(objects[work.string])
    #expect(interfaces(listed) == expected)
    // The owner of an account is shown only to callers that read the object itself.
    #expect("\(listed)".contains("signed-in"))
    #expect(!"\(listed)".contains("@example.com"))
    #expect(try await caller.email(at: work) == "ada@example.com")
    #expect(try await other.state(at: work) == "signed-in")
    #expect(try await other.send("to work", at: work).contains("to work"))

    try await other.call("Session.SignOut", at: work)
    let removed = try await other.signal("InterfacesRemoved")
    #expect(try removed.arguments.member(0, "object") == work)
    #expect(try removed.arguments.member(1, "interfaces", as: [String].self).sorted() == expected)
    #expect(try await managedObjects(other).isEmpty)
    try await eventually("the object to be removed") { (try? await other.state(at: work)) == nil }
    #expect(try await caller.state() == "signed-in")
  }

  @Test func accountsAreListedAfterARestart() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    // Those of other services are not.
    let foreign = try await caller.open("Session", ["keychain_service": "org.example.app", "keychain_account": "x"])
    try await caller.signIn(at: foreign)
    #expect(try await managedObjects(caller).isEmpty)
    // Any text can be an account's name. Characters that a path cannot hold are escaped.
    for account in ["work", "a b/ü", "9"] { try await signIn(account, caller) }
    try await world.service.restart()
    let objects = try await managedObjects(caller)
    let paths = ["_39", "a_20b_2f_c3_bc", "work"].map { "/org/chappie/account/\($0)" }
    #expect(objects.keys.sorted() == paths)
    for path in objects.keys {
      let path = try #require(ObjectPath(path))
      #expect(try await caller.state(at: path) == "signed-in")
      #expect(try await caller.send("hi", at: path).contains("hi"))
    }
    #expect(try await caller.state() == "signed-out")

    // A login without a password leaves the keyring locked until it is unlocked by hand.
    try await world.keyring.lock()
    try await world.service.restart()
    _ = try await managedObjects(caller)
    try await world.keyring.unlock()
    try await eventually("the accounts") { try await managedObjects(caller).keys.sorted() == paths }
  }

  private func interfaces(_ dictionary: Variant) -> [String] {
    dictionary.children.compactMap { try? String(variant: $0.children[0]) }.sorted()
  }

  // MARK: Several accounts at the same time

  private static let users = ["work": "grace@example.com", "home": "ada@example.com"]

  /// A session with a completed sign-in.
  private func signIn(_ account: String, _ caller: Caller, _ world: World) async throws -> ObjectPath {
    let session = try await caller.open("Session", ["keychain_account": account])
    let code = try await caller.startSignIn(at: session)
    try await world.sandbox.decide("approve", code, as: try #require(Self.users[account]))
    try await caller.waitFor("linked", "Session.DeviceLinkState", at: session)
    return session
  }

  /// The account of the last question, as the backend sees it.
  private func lastAsker(_ world: World) async throws -> String? {
    try await world.sandbox.state().lastResponsesRequest.headers["chatgpt-account-id"]
  }

  @Test func accountsStaySeparate() async throws {
    // An open socket outlives its token.
    var plan = World.Plan.attended
    plan.transport = .http
    let world = try await World.begin(plan)
    let first = try await world.caller()
    let second = try await world.caller()
    let work = try await signIn("work", first, world)
    let home = try await signIn("home", second, world)
    let workClient = try await first.open("Client", ["keychain_account": "work"])
    let homeClient = try await second.open("Client", ["keychain_account": "home"])
    let alsoHome = try await first.open("Client", ["keychain_account": "home"])
    for round in 0..<4 {
      if round == 2 { try await world.sandbox.expireAccessTokens() }
      #expect(try await first.send("work \(round)", at: workClient).contains("work \(round)"))
      #expect(try await lastAsker(world) == "account-grace-example-com")
      #expect(try await second.send("home \(round)", at: homeClient).contains("home \(round)"))
      #expect(try await lastAsker(world) == "account-ada-example-com")
      #expect(try await first.send("also \(round)", at: alsoHome).contains("also \(round)"))
      #expect(try await lastAsker(world) == "account-ada-example-com")
    }
    // Each token was refreshed once, for all its callers.
    #expect(try await world.sandbox.state().requests["refresh"] == 2)
    for (caller, session, user) in [(first, work, "grace@example.com"), (second, home, "ada@example.com")] {
      let info = try await caller.property("Session.AccountInfo", at: session, as: VariantDictionary.self)
      #expect(info.text("email") == user)
    }

    // One turn waits for its answer while the other account asks.
    try await world.sandbox.stall(times: "1")
    let waiting = try await first.stalledTurn(at: workClient)
    #expect(try await lastAsker(world) == "account-grace-example-com")
    let another = try await first.open("Client", ["keychain_account": "home"])
    #expect(try await first.send("hi", at: another).contains("This conversation has 1 message."))
    #expect(try await lastAsker(world) == "account-ada-example-com")
    let elsewhere = Turn(id: waiting.id, path: another, caller: first)
    try await expectRefusal("NoSuchTurn") { try await elsewhere.snapshot() }
    try await waiting.cancel()
    #expect(try await waiting.end().failure.name == "Cancelled")
    #expect(try await first.send("hi", at: workClient).contains("hi"))
    #expect(try await lastAsker(world) == "account-grace-example-com")

    try await first.call("Session.SignOut", at: work)
    try await expectRefusal("MissingCredential") { try await first.send("hi", at: workClient) }
    #expect(try await second.send("hi", at: homeClient).contains("hi"))
    #expect(try await first.send("hi", at: alsoHome).contains("hi"))
    #expect(try await world.keyring.credentials().keys.sorted() == ["home"])
  }

  // MARK: Whose sign-ins there are

  private func list(_ caller: Caller) async throws -> [VariantDictionary] {
    try await caller.call("Manager.ListCredentials", [:] as VariantDictionary)
      .member(0, "credentials", as: [VariantDictionary].self)
  }

  @Test func eachAccountIsListed() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    #expect(try await list(caller).isEmpty)
    try await caller.signIn()
    try await caller.signIn(at: caller.open("Session", ["keychain_account": "work"]))
    let found = try await list(caller)
    #expect(found.map { $0.text("account") } == ["default", "work"])
    #expect(found.map { $0.text("method") } == ["device-code", "device-code"])
    #expect(found.map { $0.text("state") } == ["signed-in", "signed-in"])
    // The first use of a slot, after a restart, tells the same.
    try await world.service.restart()
    #expect(try await list(caller) == found)

    try await world.sandbox.revokeRefreshTokens()
    try await world.sandbox.expireAccessTokens()
    try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
    #expect(try await caller.lastError().text("message")?.contains("revoked") == true)
    #expect(try await list(caller).map { $0.text("state") } == ["reauthentication-required", "signed-in"])
    try await world.service.restart()
    #expect(try await list(caller).map { $0.text("state") } == ["reauthentication-required", "signed-in"])
    try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
    try await caller.call("Session.SignOut")
    #expect(try await list(caller).map { $0.text("account") } == ["work"])
    try await world.keyring.lock()
    try await expectRefusal("Locked") { try await list(caller) }
  }

  @Test(.sandboxes)
  func anAppIsListedAndMayNotList() async throws {
    let world = try await World.begin()
    let app = try await world.caller(app: "org.example.App")
    try await app.signIn(at: app.open("Session"))
    try await expectRefusal("AccessDenied") { try await list(app) }
    let outside = try await world.caller()
    let found = try await list(outside)
    #expect(found.map { $0.text("app") } == ["org.example.App"])
    #expect(found.first?.text("name") == nil)
    #expect(found.first?.text("method") == "device-code")
    try world.installDesktopFile("org.example.App", "Name=Example\n")
    try await eventually("its name") { try await list(outside).map { $0.text("name") } == ["Example"] }
  }
}
