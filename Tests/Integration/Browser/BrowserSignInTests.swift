// SPDX-License-Identifier: Apache-2.0

/// The sign-in in the browser, from the page to the keyring.
@Suite(.worlds) @GLibActor
struct BrowserSignInTests {
  // MARK: Success

  @Test func theUserApprovesOnThePage() async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.caller()
    let reply = try await caller.call("Session.StartBrowserSignIn", ["open": false] as VariantDictionary)
    let address: String = try reply.member(0, "authorization_uri")
    let expiry: Int64 = try reply.member(1, "expires_at")
    #expect(expiry > Int64(Date().timeIntervalSince1970) + 500)
    #expect(try await caller.state() == "signing-in")
    #expect(try await caller.property("Session.DeviceLinkState") == "waiting-for-browser")
    let shown = try await caller.property("Session.BrowserPage", as: VariantDictionary.self)
    #expect(shown.text("authorization_uri") == address)
    #expect(address.hasPrefix(world.sandbox.issuer + "/api/accounts/authorize?"))
    #expect(query("client_id", of: address) == "dynamic_agent_client")
    #expect(query("agent_name_hint", of: address) == "Chappie")
    #expect(query("redirect_uri", of: address)?.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/auth\/callback/) != nil)
    #expect(try await caller.signInStep().step == ["kind": "open-page", "uri": address])
    #expect(try await caller.signInStep().expiry == expiry.variant)
    for absent in ["id_token_hint", "login_hint", "prompt"] { #expect(query(absent, of: address) == nil) }

    let page = try await world.user.finish(address, deciding: ["user": "grace@example.com"])
    #expect(page.status == 200)
    #expect(page.text.contains("You are signed in"))
    try await caller.waitFor("signed-in")
    #expect(try await caller.property("Session.DeviceLinkState") == "linked")
    #expect(try await caller.property("Session.AuthMethod") == "browser")
    #expect(try await caller.property("Session.PlanUse") == "enabled")
    #expect(try await caller.property("Session.ManageUsageUri") == "https://chatgpt.com/settings/usage")
    #expect(try await caller.property("Session.BrowserPage", as: VariantDictionary.self).isEmpty)
    #expect(try await caller.signInStep().step.isEmpty)
    #expect(try await caller.availability() == ["can", "none", ""])
    let account = try await caller.property("Session.AccountInfo", as: VariantDictionary.self)
    #expect(account.keys == ["email", "user_id"])
    #expect(account.text("email") == "grace@example.com")
    #expect(try await caller.send("hi").contains("hi"))
    let request = try await world.sandbox.state().lastResponsesRequest
    #expect(request.transport == "http")
    for absent in ["chatgpt-account-id", "version", "session-id", "content-encoding", "openai-beta"] {
      #expect(request.headers[absent] == nil, "\(absent)")
    }
  }

  @Test func laterSignInsUseTheSameRegistrationAndHost() async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.callerSignedInInBrowser()
    let issued = try #require(try await world.sandbox.state().registrations.first)
    for ending in ["again", "signed out", "restarted"] {
      if ending == "signed out" { try await caller.call("Session.SignOut") }
      if ending == "restarted" {
        try await world.service.restart()
        #expect(try await caller.state() == "signed-in")
        #expect(try await caller.property("Session.AuthMethod") == "browser")
        #expect(try await caller.send("hi").contains("hi"))
      }
      let address = try await world.user.start(caller)
      #expect(query("client_id", of: address) == issued.clientId, "\(ending)")
      #expect(query("agent_name_hint", of: address) == nil, "\(ending)")
      #expect(query("ext_agent_host_id", of: address) == issued.hosts[0], "\(ending)")
      try await world.user.finish(address)
      try await caller.waitFor("linked", "Session.DeviceLinkState")
    }
    let state = try await world.sandbox.state()
    #expect(state.registrations.count == 1)
    #expect(state.registrations[0].hosts == issued.hosts)
    // Each replaced sign-in was revoked.
    try await eventually("one live sign-in") { try await world.sandbox.state().liveRefreshTokens == 1 }
  }

  @Test func anotherMethodEndsARunningSignIn() async throws {
    let world = try await World.begin(.browser(["--interval", "1"]))
    let caller = try await world.caller()
    let address = try await world.user.start(caller)
    let code = try await caller.startSignIn()
    try await caller.waitFor("waiting-for-approval", "Session.DeviceLinkState")
    // Its listener is gone.
    await #expect(throws: (any Error).self) { try await world.user.finish(address) }
    _ = try await world.user.start(caller)
    try await caller.waitFor("waiting-for-browser", "Session.DeviceLinkState")
    #expect(try await caller.property("Session.DeviceCode", as: VariantDictionary.self).isEmpty)
    try await world.sandbox.decide("approve", code)
    try await world.user.signIn(caller)
    #expect(try await caller.property("Session.AuthMethod") == "browser")
  }

  @Test func theMethodsReplaceEachOther() async throws {
    let (world, caller) = try await World.signedIn()
    #expect(try await caller.property("Session.AuthMethod") == "device-code")
    #expect(try await caller.property("Session.PlanUse") == "unknown")
    // Another account replaces nothing.
    try await world.user.finish(try await world.user.start(caller), deciding: ["user": "mallory@example.com"])
    try await caller.waitFor("failed", "Session.DeviceLinkState")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.AccountMismatch")
    #expect(try await caller.property("Session.AuthMethod") == "device-code")
    #expect(try await caller.send("hi").contains("hi"))
    try await eventually("one live sign-in") { try await world.sandbox.state().liveRefreshTokens == 1 }

    try await world.user.signIn(caller)
    #expect(try await caller.property("Session.AuthMethod") == "browser")
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await world.sandbox.state().requests["api-responses"] == 1)
    try await caller.signIn()
    #expect(try await caller.property("Session.AuthMethod") == "device-code")
    #expect(try await caller.property("Session.ManageUsageUri") == "")
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await world.sandbox.state().requests["api-responses"] == 1)
    try await eventually("one live sign-in") { try await world.sandbox.state().liveRefreshTokens == 1 }
  }

  // MARK: Another's account

  /// Its random values would let a program end the sign-in with an account of its own.
  @Test func onlyACallerThatAskedSeesThePage() async throws {
    let world = try await World.begin(.browser())
    let portal = try await DesktopPortal(world)
    let caller = try await world.caller()
    let other = try await world.caller()
    let address = try await world.user.start(caller)
    let own = try await caller.property("Session.BrowserPage", as: VariantDictionary.self)
    #expect(own.text("authorization_uri") == address)
    let seen = try await other.property("Session.BrowserPage", as: VariantDictionary.self)
    #expect(seen.keys == ["expires_at"])
    #expect(try await caller.signInStep().step == ["kind": "open-page", "uri": address])
    #expect(try await other.signInStep().step == ["kind": "open-page"])
    let all = try await other.connection.call(
      "org.chappie", .chappie, "org.freedesktop.DBus.Properties", "GetAll", .tuple("org.chappie.Session"))
    #expect(!"\(all)".contains("state="), "\(all)")
    for verb in [["status"], ["status", "--json"], ["accounts", "--json"]] {
      #expect(try await !world.chappie(verb).text.contains("state="))
    }
    #expect(try await world.user.start(other) == address)
    let joined = try await other.property("Session.BrowserPage", as: VariantDictionary.self)
    #expect(joined.text("authorization_uri") == address)
    #expect(try await other.signInStep().step.text("uri") == address)
    // The service opens the page of a running sign-in for a program that joins it.
    #expect(portal.pages.isEmpty)
    try await world.caller().call("Session.StartBrowserSignIn", ["notify": false] as VariantDictionary)
    #expect(try await portal.page() == address)
    // The next sign-in is another one.
    try await caller.call("Session.CancelSignIn")
    try await caller.waitFor("cancelled", "Session.DeviceLinkState")
    _ = try await world.user.start(caller)
    #expect(try await other.property("Session.BrowserPage", as: VariantDictionary.self).keys == ["expires_at"])
  }

  // MARK: An application that was removed in ChatGPT's settings

  @Test(arguments: ["invalid_client", "unauthorized_client"])
  func anExchangeThatRefusesTheClientLeadsToANewRegistration(_ code: String) async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.callerSignedInInBrowser()
    try await world.sandbox.play("[{\"endpoint\":\"browser-token\",\"refusal\":\"\(code)\"}]")
    try await world.user.finish(try await world.user.start(caller))
    try await caller.waitFor("failed", "Session.DeviceLinkState")
    #expect(try await caller.lastError().text("message")?.contains("connects it anew") == true)
    #expect(try await caller.state() == "signed-in")
    // Another account is no way in.
    let next = try await world.user.start(caller)
    #expect(query("client_id", of: next) == "dynamic_agent_client")
    try await world.user.finish(next, deciding: ["user": "mallory@example.com"])
    try await caller.waitFor("failed", "Session.DeviceLinkState")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.AccountMismatch")
    try await world.service.restart()
    try await world.user.signIn(caller)
    #expect(try await caller.send("hi").contains("hi"))
    try await eventually("one live sign-in") { try await world.sandbox.state().liveRefreshTokens == 1 }
  }

  @Test(arguments: [false, true])
  func aRemovedApplicationIsConnectedAnew(_ signsOut: Bool) async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.callerSignedInInBrowser()
    if signsOut { try await caller.call("Session.SignOut") }
    try await world.sandbox.request(.post, "\(world.sandbox.issuer)/sandbox/remove")
    // The page shows an error, and no browser returns.
    let dead = try await world.user.start(caller)
    await #expect(throws: (any Error).self) { try await world.user.finish(dead) }
    try await caller.call("Session.CancelSignIn")
    try await caller.waitFor("cancelled", "Session.DeviceLinkState")
    let anew: VariantDictionary = ["register_anew": true]
    let address = try await world.user.start(caller, anew)
    #expect(query("client_id", of: address) == "dynamic_agent_client")
    try await world.user.finish(address, deciding: ["user": "mallory@example.com"])
    try await caller.waitFor("failed", "Session.DeviceLinkState")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.AccountMismatch")
    // What was registered meanwhile belongs to another user.
    try await world.user.signIn(caller, anew)
    try await world.user.signIn(caller)
    #expect(try await world.sandbox.state().registrations.count == 2)
  }

  @Test func theUserPastesTheAddress() async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.caller()
    let address = try await world.user.start(caller, ["paste": true])
    #expect(try await caller.signInStep().step == ["kind": "paste-address", "uri": address])
    let arrived = try await world.user.decide(address)
    for wrong in [
      "", "ac-SANDBOX", arrived.replacing("127.0.0.1", with: "localhost"), arrived.replacing("/auth/", with: "/"),
      arrived.replacing("state=", with: "state=x"), arrived + "&code=another",
    ] {
      let error = try await refusal { try await caller.call("Session.CompleteBrowserSignIn", wrong) }
      #expect(error.name == "InvalidArgument", "\(wrong): \(error)")
      #expect(!error.message.contains("SANDBOX"))
    }
    #expect(try await caller.property("Session.DeviceLinkState") == "waiting-for-browser")
    try await caller.call("Session.CompleteBrowserSignIn", arrived)
    try await caller.waitFor("linked", "Session.DeviceLinkState")
    try await expectRefusal("InvalidArgument") { try await caller.call("Session.CompleteBrowserSignIn", arrived) }
  }

  // MARK: The end without success

  @Test func aCancelledSignInClosesItsListener() async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.caller()
    let arrived = try await world.user.decide(try await world.user.start(caller))
    try await caller.call("Session.CancelSignIn")
    try await caller.waitFor("cancelled", "Session.DeviceLinkState")
    await #expect(throws: (any Error).self) { try await world.user.visit(arrived) }
    #expect(try await caller.state() == "signed-out")
    // The code is of no use to anybody.
    #expect(try await world.sandbox.state().requests["browser-token"] == 0)
  }

  @Test func aFailedSignInReplacesNothing() async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.callerSignedInInBrowser()
    let refusals = [("access_denied", "declined", "SignInDeclined"), ("server_error", "failed", "HTTPError")]
    for (error, link, name) in refusals {
      let page = try await world.user.finish(
        try await world.user.start(caller), deciding: ["decision": "decline", "error": error])
      #expect(page.status == 200)
      try await caller.waitFor(link, "Session.DeviceLinkState")
      #expect(try await caller.lastError().text("name") == "org.chappie.Error.\(name)")
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.send("hi").contains("hi"))
    }
    // Another account.
    let page = try await world.user.finish(
      try await world.user.start(caller), deciding: ["user": "mallory@example.com"])
    #expect(!page.text.contains("You are signed in"))
    try await caller.waitFor("failed", "Session.DeviceLinkState")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.AccountMismatch")
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await caller.email() == "ada@example.com")
    // The tokens of the other account were revoked.
    try await eventually("one live sign-in") { try await world.sandbox.state().liveRefreshTokens == 1 }
    try await world.user.signIn(caller, ["add_account": true], deciding: ["user": "mallory@example.com"])
    #expect(try await caller.email() == "mallory@example.com")
    #expect(try await world.sandbox.state().registrations.count == 2)
  }

  @Test func aProgramDoesNotOpenOneWindowAfterTheOther() async throws {
    let world = try await World.begin(.browser())
    let caller = try await world.caller()
    var opened = 0
    try await expectRefusal("LimitExceeded") {
      while opened < 100 {
        try await caller.call("Session.StartBrowserSignIn", VariantDictionary())
        opened += 1
        try await caller.call("Session.CancelSignIn")
        try await caller.waitFor("cancelled", "Session.DeviceLinkState")
      }
    }
    #expect((20..<40).contains(opened))
    // A page that the user opens by hand has no limit.
    try await world.user.signIn(caller)
  }

  // MARK: Bad servers

  @Test func aBadDescriptionStartsNoSignIn() async throws {
    let faults = [
      (#""members":{"token_endpoint":"https://other.example/t"}"#, "HTTPError"),
      (#""status":302,"headers":{"location":"https://other.example"}"#, "Network"), (#""raw":"<html>""#, "HTTPError"),
    ]
    let world = try await World.begin(.browser())
    let caller = try await world.caller()
    try await world.each(faults) { fault, name in
      try await world.sandbox.play("[{\"endpoint\":\"discovery\",\(fault)}]")
      try await expectRefusal(name, "\(fault)") { try await world.user.start(caller) }
      #expect(try await caller.property("Session.DeviceLinkState") == "failed")
      // The next attempt asks again.
      try await world.user.signIn(caller)
      try await caller.call("Session.SignOut")
      // The description is kept for an hour.
      try await world.service.restart()
    }
  }

  @Test func aFailedExchangeStoresNothingAndKeepsTheRegistration() async throws {
    let faults = [
      (#""id_token":{"claims":{"nonce":"another"}}"#, "HTTPError"), (#""id_token":{"signature":"wrong"}"#, "HTTPError"),
      (#""members":{"id_token":null}"#, "HTTPError"), (#""members":{"refresh_token":null}"#, "HTTPError"),
      (#""members":{"token_type":"mac"}"#, "HTTPError"), (#""refusal":"invalid_grant""#, "TokenExchangeFailed"),
      // These are the last: after them the stand-in has tokens that nobody got.
      (#""drop_after":0"#, "Network"), (#""raw":"{}""#, "HTTPError"),
    ]
    let world = try await World.begin(.browser())
    let caller = try await world.caller()
    try await world.each(faults) { fault, name in
      // Each account has a registration of its own.
      let session = try await caller.open("Session", ["keychain_account": fault])
      let others = try await world.sandbox.state().registrations.count
      try await world.sandbox.play("[{\"endpoint\":\"browser-token\",\(fault)}]")
      let page = try await world.user.finish(try await world.user.start(caller, at: session))
      #expect(!page.text.contains("You are signed in"))
      try await caller.waitFor("failed", "Session.DeviceLinkState", at: session)
      #expect(try await caller.lastError(at: session).text("name") == "org.chappie.Error.\(name)", "\(fault)")
      #expect(try await caller.state(at: session) == "signed-out")
      #expect(try await world.keyring.credentials().isEmpty)
      // What the service was issued is revoked. An answer that it did not get, or without tokens, it cannot end.
      if !fault.contains("drop_after"), !fault.contains("raw") {
        try await eventually("its revocation") { try await world.sandbox.state().liveRefreshTokens == 0 }
      }
      // The next attempt uses the pending registration.
      let next = try await world.user.start(caller, at: session)
      let issued = try await world.sandbox.state().registrations.map(\.clientId)
      #expect(query("client_id", of: next) == issued.last)
      try await world.user.finish(next)
      try await caller.waitFor("linked", "Session.DeviceLinkState", at: session)
      #expect(try await world.sandbox.state().registrations.count == others + 1)
      try await caller.call("Session.SignOut", at: session)
    }
  }
}

/// The names under which applications are registered, and which their requests have.
@Suite(.worlds, .sandboxes) @GLibActor
struct RegisteredNameTests {
  @Test func theNameOfAnAppCarriesItsID() async throws {
    let names = ["Notes", "Chappie\u{A0}", "Chappie\u{34F}", "Сhappie"]
    let world = try await World.begin(.browser())
    // The registration of an app keeps its name.
    try await world.each(names.enumerated().map { ($0.element, "org.example.App\($0.offset)") }) { name, id in
      try world.installDesktopFile(id, "Name=\(name)\n")
      let app = try await world.caller(app: id)
      let session = try await app.open("Session")
      let address = try await world.user.start(app, at: session)
      // A mark that is not seen belongs to the letter before it.
      let seen = name.unicodeScalars.starts(with: "Chappie".unicodeScalars) ? "Chappie" : name
      #expect(query("agent_name_hint", of: address) == "\(seen) (\(id))")
      try await world.user.finish(address)
      try await app.waitFor("linked", "Session.DeviceLinkState", at: session)
      let listed = try await world.chappie("accounts")
      #expect(listed.text.contains("\(seen) (\(id))"), "\(listed.text)")
    }
  }

  private func originators(_ world: World) async throws -> [String: String] {
    try await world.sandbox.state().clients.compactMapValues { $0["originator"] }
  }

  @Test func anAppsOwnRegistrationIsUsedInItsName() async throws {
    let world = try await World.begin()
    let app = try await world.caller(app: "org.example.App")
    let session = try await app.open("Session")
    try await world.user.signIn(app, at: session)
    #expect(try await app.send("hi", at: try await app.open("Client")).contains("hi"))
    for endpoint in ["browser-token", "api-models", "api-responses"] {
      #expect(try await originators(world)[endpoint] == "org.example.App", "\(endpoint)")
    }
    try await app.call("Session.SignOut", at: session)
    #expect(try await originators(world)["browser-revoke"] == "org.example.App")
    // The user's own programs share one registration.
    let caller = try await world.callerSignedInInBrowser()
    #expect(try await caller.send("hi").contains("hi"))
    for endpoint in ["browser-token", "api-models", "api-responses"] {
      #expect(try await originators(world)[endpoint] == "chappie", "\(endpoint)")
    }
    // A version of Codex is a parameter of the Codex backend alone.
    #expect(try await world.sandbox.state().clients["api-models"]?["client_version"] == nil)
    try await caller.signIn()
    #expect(try await caller.send("hi").contains("hi"))
    #expect(try await world.sandbox.state().clients["models"]?["client_version"] != nil)
  }
}
