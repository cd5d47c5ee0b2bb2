// SPDX-License-Identifier: Apache-2.0

/// The authorization request: its checks, the page, and the callback.
@Suite @GLibActor struct AuthorizeTests {
  private static let planUse = "chatgpt.tokens.use.direct"

  /// A client whose sign-ins wait for a person.
  private func waiting() async throws -> BrowserClient {
    try await BrowserClient { $0.approvesAtOnce = false }
  }

  /// Fills in the form of a page, and returns the parameters of the callback.
  private func submit(_ page: Wire.Response, _ fields: [String: String], _ client: BrowserClient) async throws
    -> [String: String]
  {
    let answer = try await client.wire.post(
      "/api/accounts/authorize", fields.merging(["request": try request(of: page)]) { $1 })
    #expect(answer.status == 303)
    return BrowserClient.query(answer.headers["location"] ?? "")
  }

  private func request(of page: Wire.Response) throws -> String {
    String(try #require(page.text.firstMatch(of: /name="request" value="([0-9a-f]+)"/)?.1))
  }

  @Test func aPersonConnectsAnApplication() async throws {
    let client = try await waiting()
    let page = try await client.open()
    #expect(page.status == 200)
    #expect(page.text.contains(#"value="Tests""#))
    #expect(page.headers["cache-control"] == "no-store")
    // A browser applies it to the redirect to the listener too.
    #expect(page.headers["content-security-policy"]?.contains("form-action 'self' http://127.0.0.1:*") == true)
    let callback = try await submit(
      page,
      [
        "decision": "approve", "name": "My tests", "user": "grace@example.com", "asks_plan_use": "true",
        "plan_use": "true",
      ], client)
    #expect(callback["state"] == "the state")
    #expect(callback["client_id"]?.hasPrefix("oaiapp_") == true)
    #expect(callback["scope"] == BrowserClient.scope)
    client.clientID = callback["client_id"] ?? ""
    let tokens = try await client.exchange(code: callback["code"] ?? "").json
    #expect(tokens["scope"]?.stringValue == BrowserClient.scope)
    // The application keeps the name that the user gave it.
    #expect(try await client.open().text.contains("My tests"))
  }

  @Test func aPersonDeclinesOnce() async throws {
    let client = try await waiting()
    let page = try await client.open()
    let callback = try await submit(page, ["decision": "decline"], client)
    #expect(callback["error"] == "access_denied" && callback["state"] == "the state" && callback["code"] == nil)
    #expect(client.wire.backend.state.registrations.isEmpty)
    let fields = ["request": try request(of: page), "decision": "approve"]
    let again = try await client.wire.post("/api/accounts/authorize", fields)
    #expect(again.status == 400 && again.text.contains("No sign-in waits"))
  }

  @Test func aPersonForbidsPlanUse() async throws {
    let client = try await waiting()
    let callback = try await submit(
      try await client.open(), ["decision": "approve", "asks_plan_use": "true"], client)
    client.clientID = callback["client_id"] ?? ""
    // The callback repeats what was asked for; only the token endpoint says what was granted.
    #expect(callback["scope"]?.contains(Self.planUse) == true)
    let tokens = try await client.exchange(code: callback["code"] ?? "").json
    #expect(tokens["scope"] == "openid profile email offline_access resource.invoke")
    // The next sign-in does not ask again, and one with prompt=consent does.
    #expect(!(try await client.open().text.contains("plan_use")))
    let again = try await submit(
      try await client.open(["prompt": "consent"]),
      ["decision": "approve", "asks_plan_use": "true", "plan_use": "true"], client)
    let enabled = try await client.exchange(code: again["code"] ?? "").json
    #expect(enabled["scope"]?.stringValue?.contains(Self.planUse) == true)
  }

  /// Section 4 of the contract: with the hint straight back, without it a selection of the account.
  @Test func aLaterSignInKeepsTheRegistration() async throws {
    let client = try await waiting()
    try await client.signIn()
    let id = client.clientID
    let hint = try #require(client.tokens["id_token"]?.stringValue)
    let direct = try await client.open(["id_token_hint": hint])
    #expect(direct.status == 303)
    let callback = BrowserClient.query(direct.headers["location"] ?? "")
    #expect(callback["client_id"] == nil)
    #expect(try await client.exchange(code: callback["code"] ?? "").status == 200)
    // The token of an earlier key is a hint too; any other text is none.
    _ = try await client.wire.send(.post, "/sandbox/rotate-keys", [:])
    #expect(try await client.open(["id_token_hint": hint]).status == 303)
    #expect(try await client.open(["id_token_hint": hint + "A"]).status == 200)
    #expect(try await client.open().text.contains("Choose an account"))
    #expect(client.clientID == id)
    #expect(client.wire.backend.state.registrations.count == 1)
    let insisting = try await client.open(["id_token_hint": hint, "force_reconsent": "true"])
    #expect(insisting.text.contains("Connect an application"))
    let named = try await client.open(["agent_name_hint": "Tests"]).headers["location"] ?? ""
    #expect(BrowserClient.query(named)["error"] == "invalid_request")
    // The port may change, the path may not.
    #expect(try await client.open(["redirect_uri": "http://127.0.0.1:10/auth/callback"]).status == 200)
    #expect(try await client.open(["redirect_uri": "http://127.0.0.1:9/callback"]).status == 400)
  }

  @Test func aCallbackCanBeChanged() async throws {
    let client = try await BrowserClient()
    let path = "/sandbox/callback"
    let change: ChappieJSONValue = ["iss": "https://other.example", "client_id": .null]
    #expect(try await client.wire.send(.post, path, change).status == 200)
    let changed = try await client.decide()
    #expect(changed["iss"] == "https://other.example" && changed["client_id"] == nil)
    #expect(changed["state"] == "the state")
    // A later change replaces the earlier one.
    #expect(try await client.wire.post(path, ["hint": "1"]).status == 200)
    let again = try await client.decide()
    #expect(again["hint"] == "1" && again["iss"] == nil)
    for fields in [["decision": "maybe"], ["address": "nonsense"]] as [ChappieJSONValue] {
      #expect(try await client.wire.send(.post, "/sandbox/authorize", fields).status == 400)
    }
  }

  @Test func eachRegistrationHasItsOwnIdSubjectAndHosts() async throws {
    let client = try await BrowserClient.signedIn()
    let other = "urn:uuid:00000000-0000-4000-8000-000000000000"
    for host in [BrowserClient.host, other, other] { _ = try await client.decide([:], ["ext_agent_host_id": host]) }
    #expect(client.wire.backend.state.registrations.map(\.hosts) == [[BrowserClient.host, other]])
    let (id, subject) = (client.clientID, client.claims["sub"])
    try await client.signIn(["user": "grace@example.com"])
    #expect(client.claims["sub"] != subject)
    try await client.signIn()
    #expect(client.claims["sub"] == subject)
    client.clientID = "dynamic_agent_client"
    try await client.signIn()
    #expect(client.clientID != id)
    #expect(client.claims["sub"] != subject)
    #expect(client.wire.backend.state.registrations.count == 2)
  }

  /// Errors that the page must show, because the redirect address cannot be trusted.
  @Test func refusesOnAPage() async throws {
    let client = try await BrowserClient()
    for change in [
      ["redirect_uri": "http://localhost:9/auth/callback"], ["redirect_uri": "https://127.0.0.1:9/auth/callback"],
      ["redirect_uri": "http://127.0.0.1/auth/callback"], ["redirect_uri": "http://127.0.0.1:9/auth/callback?a=b"],
      ["redirect_uri": "http://127.0.0.1@other.example:9/auth/callback"], ["redirect_uri": "http://[::1]:9/callback"],
      ["redirect_uri": ""], ["client_id": "oaiapp_unknown"], ["client_id": ""],
    ] as [[String: String]] {
      let answer = try await client.open(change)
      #expect(answer.status == 400, "\(change)")
      #expect(answer.headers["location"] == nil, "\(change)")
    }
  }

  @Test func refusesInTheCallback() async throws {
    let client = try await BrowserClient()
    for (change, code) in [
      (["agent_name_hint": ""], "invalid_request"), (["state": ""], "invalid_request"),
      (["nonce": ""], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
      (["code_challenge_method": "plain"], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
      (["ext_agent_host_id": ""], "invalid_request"), (["ext_agent_host_id": "my-laptop"], "invalid_request"),
      (["resource": "https://other.example/v1"], "invalid_target"), (["scope": "profile"], "invalid_scope"),
      (["scope": "openid everything"], "invalid_scope"),
    ] as [([String: String], String)] {
      let answer = try await client.open(change)
      let callback = BrowserClient.query(answer.headers["location"] ?? "")
      #expect(answer.status == 303 && callback["error"] == code, "\(change)")
      #expect(callback["state"] == (change["state"] == "" ? nil : "the state"))
      #expect(callback["code"] == nil, "\(change)")
    }
  }

  @Test func theLibraryDecidesWithoutABrowser() async throws {
    let client = try await BrowserClient()
    let backend = client.wire.backend
    let grace = StandInUser(email: "grace@example.com")
    _ = backend.approve(inBrowser: ChappieAddress(address: client.address()), user: grace, allowsPlanUse: false)
    #expect(backend.state.registrations.map(\.user) == ["grace@example.com"])
    #expect(backend.state.registrations.map(\.allowsPlanUse) == [false])
    // Many programs write a space as a plus sign.
    let plus = backend.approve(inBrowser: ChappieAddress(address: client.address().replacing("%20", with: "+"))) ?? ""
    #expect(BrowserClient.query(plus)["scope"] == BrowserClient.scope)
    let refused = BrowserClient.query(
      backend.approve(inBrowser: ChappieAddress(address: client.address(["scope": ""]))) ?? "")
    #expect(refused["error"] == "invalid_scope")
    #expect(backend.approve(inBrowser: ChappieAddress(address: client.address(["redirect_uri": ""]))) == nil)
  }
}
