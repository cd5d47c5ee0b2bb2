// SPDX-License-Identifier: Apache-2.0

/// These tests use the fixtures as the tests of an app do, with public API only.
@Suite @GLibActor struct FixtureTests {
  @Test func theReauthenticationFixtureNeedsASignInFromTheStart() async throws {
    let backend = try StandInBackend()
    let configuration = try ChappieConfiguration.testing(.reauthenticationRequired, backend: backend)
    let session = Chappie.authSession(configuration: configuration)

    #expect(await session.restored() == .reauthenticationRequired)
    #expect(session.accountInfo?.email == "ada@example.com")
    #expect(session.lastError == .tokenExchangeFailed(status: 400, message: "invalid_grant"))
    #expect(session.lastError?.requiresReauthentication == true)
    let hasEnded = "The sign-in has ended and cannot be renewed: sign in again."
    await #expect(throws: ChappieClientError.reauthenticationRequired(hasEnded)) {
      try await Chappie.client(configuration: configuration).send("Hello")
    }
    #expect(session.state == .reauthenticationRequired)
    #expect(backend.state.requests["refresh"] == nil)
    await backend.stop()
  }

  @Test func anExpiredTokenIsRefreshedOrEndsWithoutARefreshToken() async throws {
    let backend = try StandInBackend()
    let expired = try ChappieConfiguration.testing(.accessTokenExpired, backend: backend)
    #expect(try await Chappie.client(configuration: expired).send("Hello").contains("Hello"))
    let configuration = try ChappieConfiguration.testing(.refreshTokenMissing, backend: backend)
    let session = Chappie.authSession(configuration: configuration)
    #expect(await session.restored() == .signedIn)
    await #expect(throws: ChappieClientError.missingRefreshToken) {
      try await Chappie.client(configuration: configuration).send("Hello")
    }
    #expect(session.state == .reauthenticationRequired && session.lastError?.requiresReauthentication == true)
    await backend.stop()
  }

  @Test func eachFixtureHasItsOwnSlot() async throws {
    let backend = try StandInBackend()
    let ada = try ChappieConfiguration.testing(.signedIn, backend: backend)
    let grace = try ChappieConfiguration.testing(
      .signedIn, backend: backend, user: StandInUser(email: "grace@example.com", plan: "pro"))
    let adaSession = Chappie.authSession(configuration: ada)
    let graceSession = Chappie.authSession(configuration: grace)
    _ = await adaSession.restored()
    _ = await graceSession.restored()
    try await adaSession.signOutAndWait()

    #expect(adaSession.state == .signedOut)
    #expect(graceSession.state == .signedIn)
    #expect(graceSession.accountInfo?.email == "grace@example.com")
    #expect(graceSession.accountInfo?.plan?.displayName == "Pro")
    await backend.stop()
  }

  /// Neither fixture leaves a server at its production address.
  @Test func aBrowserSignInStaysWithTheStandIn() async throws {
    let backend = try StandInBackend()
    for configuration in [
      try ChappieConfiguration.testing(.signedOut, backend: backend),
      try ChappieConfiguration.testing(issuer: backend.issuer, baseURL: backend.baseURL),
    ] {
      let session = Chappie.authSession(configuration: configuration)
      let updates = session.updates
      let page = try await session.startBrowserSignIn(opensBrowser: false)
      try session.completeBrowserSignIn(try #require(backend.approve(inBrowser: page.authorizationURI)))
      for await update in updates where update.state == .signedIn { break }
      #expect(try await Chappie.client(configuration: configuration).send("Hello").contains("Hello"))
    }
    #expect(backend.state.requests["api-responses"] == 2)
    await backend.stop()
  }

  /// A test with a mistake in its configuration asks no live server.
  @Test func aTestReachesNoOtherHost() async throws {
    let backend = try StandInBackend()
    let configuration = try ChappieConfiguration.testing(.signedOut, backend: backend).servedBy(
      issuer: "https://auth.example.com", baseURL: "https://backend.example.com/backend-api")
    let session = Chappie.authSession(configuration: configuration)
    let reason = "this process runs tests with a stand-in for the servers, so it may not reach auth.example.com"
    await #expect(throws: ChappieAuthError.network(reason)) { try await session.startDeviceCodeSignIn() }
    await #expect(throws: ChappieAuthError.network(reason)) {
      try await session.startBrowserSignIn(opensBrowser: false)
    }
    await backend.stop()
    // It may reach the servers that it names, which may be behind a proxy with TLS.
    let named = Chappie.authSession(
      configuration: try .testing(issuer: "https://named.invalid", baseURL: "https://named.invalid/backend-api"))
    let error = await #expect(throws: ChappieAuthError.self) { try await named.startDeviceCodeSignIn() }
    #expect(error?.description.contains("may not reach") == false)
  }
}
