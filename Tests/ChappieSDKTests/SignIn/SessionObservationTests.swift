// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Observation
import Synchronization
import Testing

/// A session under observation by a user interface, and its methods for callers that cannot `await`.
@Suite(.timeLimit(.minutes(1)))
struct SessionObservationTests {
  private func session(_ fixture: ChappieAuthFixture, _ backend: StandInBackend) async throws -> ChappieAuthSession {
    let session = Chappie.authSession(configuration: try await .testing(fixture, backend: backend))
    _ = await session.restored()
    return session
  }

  @Test func observationReportsAChangedState() async throws {
    let backend = try await StandInBackend()
    let session = try await session(.signedIn, backend)
    let state = Atomic(0)
    let error = Atomic(0)
    withObservationTracking {
      _ = session.state
    } onChange: {
      state.add(1, ordering: .relaxed)
    }
    withObservationTracking {
      _ = session.lastError
    } onChange: {
      error.add(1, ordering: .relaxed)
    }
    try await session.signOutAndWait()
    #expect(state.load(ordering: .relaxed) == 1)
    #expect(error.load(ordering: .relaxed) == 0, "nothing has failed")
    await backend.stop()
  }

  /// The main actor observes, as a view does.
  @MainActor @Test func mainActorObservesEachState() async throws {
    let backend = try await StandInBackend()
    let session = try await session(.signedIn, backend)
    var seen: [ChappieAuthState] = []
    for await state in Observations({ session.state }) {
      seen.append(state)
      if state == .signedOut { break }
      session.signOut()
    }
    #expect(seen == [.signedIn, .signedOut])
    await backend.stop()
  }

  /// Signs out as a caller does that cannot `await`.
  private static func signOut(_ session: ChappieAuthSession) {
    session.signOut()
  }

  /// It completes on the library's own thread as well.
  @GLibActor @Test func asynchronousSignOutCompletesBeforeItReturns() async throws {
    let backend = try StandInBackend()
    let session = try await session(.signedIn, backend)
    try await session.signOutAndWait()
    #expect(session.state == .signedOut)
    await backend.stop()
  }

  @MainActor @Test func signOutCompletesBeforeItReturns() async throws {
    let backend = try await StandInBackend()
    let session = try await session(.signedIn, backend)
    Self.signOut(session)
    #expect(session.state == .signedOut)
    #expect(session.accountInfo == nil)
    await backend.stop()
  }

  /// The library's own thread cannot block, so the sign-out is still running at the return.
  @GLibActor @Test func signOutOnTheLibrarysThreadReturnsAtOnce() async throws {
    let backend = try StandInBackend()
    let session = try await session(.signedIn, backend)
    Self.signOut(session)
    #expect(session.state == .signedIn)
    for await snapshot in session.updates where snapshot.state == .signedOut { break }
    #expect(session.state == .signedOut)
    await backend.stop()
  }

  @Test func clientReportsItsAccount() async throws {
    let backend = try await StandInBackend()
    let user = StandInUser(email: "grace@example.com", plan: "pro")
    let configuration = try await ChappieConfiguration.testing(.signedIn, backend: backend, user: user)
    let account = await Chappie.client(configuration: configuration).accountInfo()
    #expect(account?.email == "grace@example.com")
    #expect(account?.plan?.displayName == "Pro")
    let nobody = try await ChappieConfiguration.testing(.signedOut, backend: backend)
    #expect(await Chappie.client(configuration: nobody).accountInfo() == nil)
    await backend.stop()
  }

  /// A test of an app sets its servers with public API.
  @Test func publicAPISetsTheServersOfATest() async throws {
    let backend = try await StandInBackend()
    let (issuer, baseURL) = (await backend.issuer, await backend.baseURL)
    let configuration = try await ChappieConfiguration.testing(issuer: issuer, baseURL: baseURL)
    let session = Chappie.authSession(configuration: configuration)
    #expect(await session.restored() == .signedOut)
    let code = try await session.startDeviceCodeSignIn()
    await backend.approve(userCode: code.userCode)
    for await snapshot in session.updates where snapshot.deviceLinkState == .linked { break }
    #expect(try await Chappie.client(configuration: configuration).send("Hello").contains("Hello"))
    await backend.stop()
  }

  @Test(arguments: ["http://example.com", "ftp://127.0.0.1", "nonsense"])
  func refusesUnencryptedServersOutsideTheLoopback(_ address: String) async throws {
    #expect(throws: ChappieClientError.self) {
      try ChappieConfiguration().servedBy(issuer: address, baseURL: "https://example.com")
    }
  }
}
