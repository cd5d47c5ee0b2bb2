// SPDX-License-Identifier: Apache-2.0

/// A program that starts sign-ins takes neither the service nor the issuer from others, and leaves none behind.
@Suite(.worlds) @GLibActor
struct SignInLimitTests {
  /// The state of the sign-in of an account, for a caller that has no part in it.
  private func linkState(_ account: String, _ caller: Caller) async throws -> String {
    let session = try await caller.open("Session", ["keychain_account": account])
    let state: String = try await caller.property("Session.DeviceLinkState", at: session)
    try await caller.call("Manager.Close", session)
    return state
  }

  /// - Returns: the code, or the address of the page.
  @discardableResult
  private func start(_ member: String, _ caller: Caller, at session: ObjectPath) async throws -> String {
    try await caller.call(
      "Session.\(member)", ["notify": false, "open": false] as VariantDictionary, at: session
    ).member(0, "start")
  }

  /// Whether something listens for the browser of this page.
  private func listens(_ page: String) async -> Bool {
    let items = URLComponents(string: page)?.queryItems ?? []
    guard let address = items.first(where: { $0.name == "redirect_uri" })?.value else { return false }
    return (try? await HTTPSession().send(HTTPRequest(.get, address), deadline: patience)) != nil
  }

  // MARK: The last holder

  @Test func aSignInEndsWithTheLastHolderOfItsObject() async throws {
    let cases = ["StartDeviceCodeSignIn", "StartBrowserSignIn"].flatMap { [[$0, "is closed"], [$0, "is left"]] }
    try await World.with(.attended, each: cases) { world, test in
      let witness = try await world.caller()
      #expect(try await linkState("work", witness) == "idle")
      let page: String
      do {
        let caller = try await Caller(world.directories.busAddress)
        let other = try await Caller(world.directories.busAddress)
        let session = try await caller.open("Session", ["keychain_account": "work"])
        #expect(try await other.open("Session", ["keychain_account": "work"]) == session)
        page = try await start(test[0], caller, at: session)
        #expect(await listens(page) == (test[0] == "StartBrowserSignIn"))
        // The other caller has a part in it.
        try await caller.call("Manager.Close", session)
        #expect(try await linkState("work", witness).hasPrefix("waiting-for-"))
        if test[1] == "is closed" { try await other.call("Manager.Close", session) }
        withExtendedLifetime((caller, other)) {}
      }
      try await eventually("the end of the sign-in") { try await linkState("work", witness) == "idle" }
      #expect(await !listens(page))
    }
  }

  /// A caller may leave before the sign-in has its code.
  @Test func aSignInEndsThatItsCallerDoesNotWaitFor() async throws {
    let world = try await World.begin(.attended)
    let witness = try await world.caller()
    try await world.sandbox.play(#"[{"endpoint":"usercode","hang":true}]"#)
    let caller = try await world.caller()
    let session = try await caller.open("Session", ["keychain_account": "work"])
    let code = Task { @GLibActor in
      try await refusal { try await start("StartDeviceCodeSignIn", caller, at: session) }.name
    }
    try await eventually("the sign-in") { try await linkState("work", witness) == "requesting-code" }
    try await caller.call("Manager.Close", session)
    #expect(try await code.value == "Cancelled")
    try await eventually("the end of the sign-in") { try await linkState("work", witness) == "idle" }
  }

  /// `gdbus call` leaves the bus with its reply.
  @Test func aSignInOfASharedObjectOutlivesItsCaller() async throws {
    let world = try await World.begin(.attended)
    let started = try await world.run(
      "gdbus", "call", "--session", "--dest", "org.chappie", "--object-path", "/org/chappie", "--method",
      "org.chappie.Session.StartDeviceCodeSignIn", "{}")
    let caller = try await world.caller()
    let session = try await caller.open("Session")
    let code = try await caller.startSignIn(at: session)
    #expect(started.text.contains(code))
    // One that joined it ends nothing either.
    try await caller.call("Manager.Close", session)
    #expect(try await caller.property("Session.DeviceLinkState") == "waiting-for-approval")
    try await world.sandbox.decide("approve", code)
    try await caller.waitFor("signed-in")
  }

  // MARK: Budgets

  @Test(.sandboxes) func anAppHasABudgetOfRunningSignIns() async throws {
    let world = try await World.begin(.attended)
    let app = try await world.caller(app: "org.example.App")
    var sessions: [ObjectPath] = []
    try await expectRefusal("LimitExceeded", saying: "sign-ins") {
      for number in 0..<20 {
        sessions.append(try await app.open("Session", ["keychain_account": "a\(number)"]))
        try await start(number % 2 == 0 ? "StartBrowserSignIn" : "StartDeviceCodeSignIn", app, at: sessions[number])
      }
    }
    let rival = try await world.caller(app: "org.example.Widget")
    try await start("StartBrowserSignIn", rival, at: try await rival.open("Session"))
    // A sign-in that has begun can go on with another method.
    try await start("StartDeviceCodeSignIn", app, at: sessions[0])
    try await start("StartDeviceCodeSignIn", app, at: sessions[0])
    let last = try #require(sessions.last)
    try await expectRefusal("LimitExceeded") { try await start("StartBrowserSignIn", app, at: last) }
    try await app.call("Manager.Close", sessions[0])
    try await eventually("room for a sign-in") {
      (try? await start("StartBrowserSignIn", app, at: last)) != nil
    }
  }

  /// What an app starts and ends in a loop is a request to the issuer and a notification each time.
  @Test(.sandboxes) func anAppStartsSignInsAtARate() async throws {
    let world = try await World.begin(.attended)
    let server = try await NotificationServer(world)
    let outside = try await world.caller()
    let app = try await world.caller(app: "org.example.App")
    var rounds = 0
    try await expectRefusal("LimitExceeded") {
      while rounds < 60 {
        let session = try await app.open("Session", ["keychain_account": "a\(rounds)"])
        try await app.call("Session.StartDeviceCodeSignIn", VariantDictionary(), at: session)
        try await app.call("Manager.Close", session)
        rounds += 1
      }
    }
    #expect(try await world.sandbox.state().requests["usercode"] == rounds)
    try await server.waitUntilNothingIsShown()
    #expect(server.received.count <= rounds)
    _ = try await outside.startSignIn()
  }

  // MARK: Questions

  @Test(.sandboxes) func questionsOfAnAppHaveARate() async throws {
    let (world, server, outside) = try await World.signedInNotifying()
    let (app, client) = try await world.signedInApp(notifying: false)
    let calls = (0..<40).map { #"{"name":"t","call_id":"c\#($0)"}"# }.joined(separator: ",")
    try await world.sandbox.callTools("[\(calls)]")
    let line = try await app.ask("Go on", ["tools": [Tools.named("t", policy: "ask")]], at: client)
    for _ in 0..<40 { _ = try await line.next("approval-requested") }
    try await outside.register([Tools.named("delete", policy: "ask")])
    _ = try await outside.stream("use delete")
    try await eventually("the question of another program") {
      server.received.contains { $0.body.contains("delete") }
    }
    let ofTheApp = server.received.count { $0.body.contains("\nThe tool belongs to org.example.App.\n") }
    #expect((1..<20).contains(ofTheApp))
  }
}
