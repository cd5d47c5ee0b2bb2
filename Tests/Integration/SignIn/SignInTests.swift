// SPDX-License-Identifier: Apache-2.0

/// The device-code sign-in, from the code to the keyring.
@Suite(.worlds) @GLibActor
struct SignInTests {
  @Test func theUserSeesACodeAndApprovesIt() async throws {
    let world = try await World.begin(.attended)
    let caller = try await world.caller()
    #expect(try await caller.state() == "signed-out")

    let reply = try await caller.call("Session.StartDeviceCodeSignIn", VariantDictionary())
    let code: String = try reply.member(0, "user_code")
    #expect(try reply.member(1, "verification_uri", as: String.self) == world.sandbox.page)
    #expect(try reply.member(2, "expires_at", as: Int64.self) > Int64(Date().timeIntervalSince1970))
    #expect(try await caller.state() == "signing-in")
    try await caller.waitFor("waiting-for-approval", "Session.DeviceLinkState")
    let shown = try await caller.property("Session.DeviceCode", as: VariantDictionary.self)
    #expect(shown.text("user_code") == code)
    #expect(shown.text("verification_uri") == world.sandbox.page)
    #expect(shown["expires_at"] == reply.children[2])
    let step: VariantDictionary = ["kind": "show-code", "uri": world.sandbox.page, "code": code]
    let (shownStep, expiry) = try await caller.signInStep()
    #expect(shownStep == step)
    #expect(expiry == shown["expires_at"])
    #expect(try caller.wasInvalidated("SignInStep", of: "Session"))

    let page = String(decoding: try await world.sandbox.request(.get, world.sandbox.page), as: UTF8.self)
    for field in ["user_code", "user", "decision"] { #expect(page.contains("name=\"\(field)\"")) }
    try await world.sandbox.decide("approve", code, as: "grace@example.com")
    try await caller.waitFor("signed-in")
    #expect(try await caller.property("Session.DeviceLinkState") == "linked")
    #expect(try await caller.property("Session.DeviceCode", as: VariantDictionary.self).isEmpty)
    #expect(try await caller.signInStep().step.isEmpty)
    try await caller.catchUp()
    let changes = try caller.changedValues("Availability", of: "Session", as: VariantDictionary.self)
    #expect(changes.compactMap { $0.text("message") }.contains("Enter this code on the page"))
    #expect(changes.last == ["can_ask": true, "reason": "", "message": "", "action": "none"])
    #expect(changes.dropLast().allSatisfy { $0.text("action") == "sign-in" && $0["can_ask"] == false.variant })
    #expect(try await caller.lastError().isEmpty)
    let account = try await caller.property("Session.AccountInfo", as: VariantDictionary.self)
    #expect(account.keys == ["account_id", "email", "plan", "user_id"])
    #expect(account.text("email") == "grace@example.com")
    #expect(account.text("plan") == "plus")
    #expect(account.text("account_id") == "account-grace-example-com")
    #expect(account.text("user_id") == "user-grace-example-com")
  }

  @Test func aSignInIsSignalledAndStoredWithoutTheUsersIdentity() async throws {
    let world = try await World.begin()
    let other = try await world.caller()
    let caller = try await world.signedInCaller()
    try await other.signal("StateChanged") { $0.arguments == .tuple("signed-in", "signing-in") }
    try await other.catchUp()
    #expect(
      other.signals("StateChanged").map(\.arguments)
        == [.tuple("signing-in", "signed-out"), .tuple("signed-in", "signing-in")])
    let changes = other.signals("PropertiesChanged").filter { "\($0.arguments)".contains("org.chappie.Session") }
    #expect(changes.contains { "\($0.arguments.children[1])".contains("'DeviceLinkState': <'linked'>") })
    #expect(changes.contains { "\($0.arguments.children[2])".contains("'AccountInfo'") })
    #expect(!changes.contains { "\($0.arguments)".contains("@example.com") })
    #expect(caller.signals("StateChanged").count == 2)

    // The credential is one sealed line with its schema.
    let items = try await world.keyring.items()
    let item = try #require(items.first)
    #expect(items.count == 1)
    #expect(item.attributes["device"]?.count == 32)
    #expect(
      item.attributes.filter { $0.key != "device" } == [
        "xdg:schema": "org.chappie.Credential", "service": "com.chappie.sdk", "account": "default",
        "access-group": "", "app-id": "",
        "accessibility": "when-unlocked-this-device-only", "version": "2",
      ])
    #expect(item.label == "ChatGPT sign-in (com.chappie.sdk, default)")
    #expect(item.secret.allSatisfy { (0x20...0x7E).contains($0) })
    let line = String(decoding: item.secret, as: UTF8.self)
    #expect(line.count > 1000, "three tokens should be in it")
    #expect(Leaks.findings(in: ["the item": Data(item.secret)]).isEmpty)
    #expect(!line.contains("access_token"))
  }

  @Test func aSignInEndsWithoutApproval() async throws {
    let world = try await World.begin(.attended)
    let caller = try await world.caller()
    let other = try await world.caller()
    // Further calls return the same code.
    async let first = caller.startSignIn()
    async let second = other.startSignIn()
    let codes = try await [first, second, caller.startSignIn()]
    #expect(Set(codes).count == 1)
    #expect(try await world.sandbox.state().requests["usercode"] == 1)

    try await world.sandbox.decide("decline", codes[0])
    try await caller.waitFor("declined", "Session.DeviceLinkState")
    #expect(try await caller.state() == "signed-out")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.SignInDeclined")
    try await expectRefusal("MissingCredential") { try await caller.send("hi") }

    _ = try await caller.startSignIn()
    try await caller.call("Session.CancelSignIn")
    try await caller.waitFor("cancelled", "Session.DeviceLinkState")
    #expect(try await caller.state() == "signed-out")
    #expect(try await caller.property("Session.DeviceCode", as: VariantDictionary.self).isEmpty)
    #expect(try await caller.lastError().isEmpty)
    #expect(try await world.keyring.credentials().isEmpty)

    // A user who cancels and starts again at once must not see the cancelled code.
    let dead = try await caller.startSignIn()
    // Both calls are sent, in this order, before either is answered.
    let cancel = Task { @GLibActor in _ = try await caller.call("Session.CancelSignIn") }
    let start = Task { @GLibActor in try await caller.startSignIn() }
    try await cancel.value
    let code = try await start.value
    #expect(code != dead)
    try await world.sandbox.decide("approve", code)
    try await caller.waitFor("signed-in")
    try await caller.call("Session.CancelSignIn")
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.property("Session.DeviceLinkState") == "linked")
  }

  /// The server revokes the replaced sign-in after the new one is stored, and not before.
  @Test func aNewSignInReplacesAndRevokesTheOld() async throws {
    let world = try await World.begin(.attended)
    let caller = try await world.caller()
    try await world.sandbox.decide("approve", try await caller.startSignIn())
    try await caller.waitFor("linked", "Session.DeviceLinkState")
    let before = try await world.keyring.credentials()["default"]?.secret
    // A sign-in that fails replaces nothing.
    for ending in ["declined", "cancelled"] {
      let code = try await caller.startSignIn()
      #expect(try await caller.state() == "signing-in")
      #expect(try await caller.send("meanwhile").contains("meanwhile"))
      if ending == "declined" {
        try await world.sandbox.decide("decline", code)
      } else {
        try await caller.call("Session.CancelSignIn")
      }
      try await caller.waitFor(ending, "Session.DeviceLinkState")
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.send("still here").contains("still here"))
      #expect(try await world.keyring.credentials()["default"]?.secret == before)
      #expect(try await caller.email() == "ada@example.com")
    }
    #expect(try await world.sandbox.state().requests["revoke"] == 0)

    let foreign = try await caller.startSignIn()
    try await world.sandbox.decide("approve", foreign, as: "grace@example.com")
    try await caller.waitFor("failed", "Session.DeviceLinkState")
    #expect(try await caller.lastError().text("name") == "org.chappie.Error.AccountMismatch")
    try await eventually("its revocation") { try await world.sandbox.state().revokedRefreshTokens == 1 }

    let second = try await caller.startSignIn(["add_account": true])
    try await world.sandbox.decide("approve", second, as: "grace@example.com")
    try await caller.waitFor("linked", "Session.DeviceLinkState")
    try await eventually("the revocation") { try await world.sandbox.state().revokedRefreshTokens == 2 }
    var state = try await world.sandbox.state()
    #expect(state.liveRefreshTokens == 1)
    #expect(state.requests["revoke"] == 2)
    #expect(try await caller.email() == "grace@example.com")
    #expect(try await world.keyring.items().count == 1)
    #expect(try await caller.send("hi").contains("hi"))
    state = try await world.sandbox.state()
    #expect(state.lastResponsesRequest.headers["chatgpt-account-id"] == "account-grace-example-com")
    // The new sign-in remains and can be refreshed.
    try await world.sandbox.expireAccessTokens()
    #expect(try await caller.send("again").contains("again"))
  }
}
