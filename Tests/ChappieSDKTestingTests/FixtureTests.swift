// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// These tests use the fixtures as the tests of an app do, with public API only.
@Suite @GLibActor struct FixtureTests {
  @Test func theSignedInFixtureGetsAnAnswer() async throws {
    let backend = try StandInBackend()
    let user = StandInUser(email: "grace@example.com", plan: "pro")
    let configuration = try ChappieConfiguration.testing(.signedIn, backend: backend, user: user)
    let session = Chappie.authSession(configuration: configuration)

    #expect(await session.restored() == .signedIn)
    #expect(session.accountInfo?.email == "grace@example.com")
    #expect(session.accountInfo?.plan?.displayName == "Pro")
    #expect(try await Chappie.client(configuration: configuration).send("Hello").contains("Hello"))
    await backend.stop()
  }

  @Test func anExpiredTokenIsRefreshedDuringTheRequest() async throws {
    let backend = try StandInBackend()
    let configuration = try ChappieConfiguration.testing(.accessTokenExpired, backend: backend)
    let client = Chappie.client(configuration: configuration)

    #expect(try await client.send("One").contains("One"))
    #expect(try await client.send("Two").contains("3 messages"))
    await backend.stop()
  }

  @Test func theReauthenticationFixtureNeedsASignInFromTheStart() async throws {
    let backend = try StandInBackend()
    let configuration = try ChappieConfiguration.testing(.reauthenticationRequired, backend: backend)
    let session = Chappie.authSession(configuration: configuration)

    #expect(await session.restored() == .reauthenticationRequired)
    #expect(session.accountInfo?.email == "ada@example.com")
    #expect(session.lastError == .tokenExchangeFailed(status: 400, message: "invalid_grant"))
    #expect(session.lastError?.requiresReauthentication == true)
    await #expect(throws: ChappieClientError.reauthenticationRequired(Self.hasEnded)) {
      try await Chappie.client(configuration: configuration).send("Hello")
    }
    #expect(session.state == .reauthenticationRequired)
    #expect(backend.state.requests["refresh"] == nil)
    await backend.stop()
  }

  private static let hasEnded = "The sign-in has ended and cannot be renewed: sign in again."

  @Test func aCredentialWithoutARefreshTokenEndsWithItsFirstRequest() async throws {
    let backend = try StandInBackend()
    let configuration = try ChappieConfiguration.testing(.refreshTokenMissing, backend: backend)
    let session = Chappie.authSession(configuration: configuration)
    #expect(await session.restored() == .signedIn)

    await #expect(throws: ChappieClientError.missingRefreshToken) {
      try await Chappie.client(configuration: configuration).send("Hello")
    }
    #expect(session.state == .reauthenticationRequired)
    #expect(session.lastError?.requiresReauthentication == true)
    #expect(session.accountInfo?.email == "ada@example.com")
    await backend.stop()
  }

  @Test func eachFixtureHasItsOwnSlot() async throws {
    let backend = try StandInBackend()
    let ada = try ChappieConfiguration.testing(.signedIn, backend: backend)
    let grace = try ChappieConfiguration.testing(
      .signedIn, backend: backend, user: StandInUser(email: "grace@example.com"))
    let adaSession = Chappie.authSession(configuration: ada)
    let graceSession = Chappie.authSession(configuration: grace)
    _ = await adaSession.restored()
    _ = await graceSession.restored()
    try await adaSession.signOutAndWait()

    #expect(adaSession.state == .signedOut)
    #expect(graceSession.state == .signedIn)
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
  }

  /// The server of such a test may be behind a proxy with TLS.
  @Test func aTestMayReachTheServersThatItNames() async throws {
    let configuration = try ChappieConfiguration.testing(
      issuer: "https://named.invalid", baseURL: "https://named.invalid/backend-api")
    let session = Chappie.authSession(configuration: configuration)
    let error = await #expect(throws: ChappieAuthError.self) { try await session.startDeviceCodeSignIn() }
    #expect(error?.description.contains("may not reach") == false)
  }
}
