// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Observation
import Synchronization

/// A session under observation by a user interface, and its methods for callers that cannot `await`.
@Suite(.timeLimit(.minutes(10)))
struct SessionObservationTests {
  private func session(_ backend: StandInBackend) async throws -> ChappieAuthSession {
    let session = Chappie.authSession(configuration: try await .testing(.signedIn, backend: backend))
    _ = await session.restored()
    return session
  }

  @Test func observationReportsAChangedState() async throws {
    let backend = try await StandInBackend()
    let session = try await session(backend)
    let changed = Mutex<[String]>([])
    let reads: [(String, () -> Void)] = [
      ("state", { _ = session.state }), ("button", { _ = ChappieSignIn(authSession: session).step }),
      // Nothing has failed.
      ("error", { _ = session.lastError }),
    ]
    for (name, read) in reads {
      withObservationTracking {
        read()
      } onChange: {
        changed.withLock { $0.append(name) }
      }
    }
    try await session.signOutAndWait()
    #expect(session.state == .signedOut)
    #expect(changed.withLock { $0.sorted() } == ["button", "state"])
    await backend.stop()
  }

  /// Signs out as a caller does that cannot `await`.
  private static func signOut(_ session: ChappieAuthSession) {
    session.signOut()
  }

  /// The main actor observes, as a view does. The sign-out completes before it returns.
  @MainActor @Test func mainActorObservesEachState() async throws {
    var isComplete = false
    // It waits for a second at most, which a busy machine may need.
    for _ in 0..<5 where !isComplete {
      let backend = try await StandInBackend()
      let session = try await session(backend)
      var seen: [ChappieAuthState] = []
      for await state in Observations({ session.state }) {
        seen.append(state)
        if state == .signedOut { break }
        Self.signOut(session)
        isComplete = session.state == .signedOut && session.accountInfo == nil
      }
      #expect(seen == [.signedIn, .signedOut])
      await backend.stop()
    }
    #expect(isComplete)
  }

  /// The library's own thread cannot block, so the sign-out is still running at the return.
  @GLibActor @Test func signOutOnTheLibrarysThreadReturnsAtOnce() async throws {
    let backend = try StandInBackend()
    let configuration = try ChappieConfiguration.testing(.signedIn, backend: backend)
    let client = Chappie.client(configuration: configuration)
    #expect(await client.accountInfo()?.email == "ada@example.com")
    let session = Chappie.authSession(configuration: configuration)
    _ = await session.restored()
    Self.signOut(session)
    #expect(session.state == .signedIn)
    for await snapshot in session.updates where snapshot.state == .signedOut { break }
    #expect(session.state == .signedOut)
    #expect(await client.accountInfo() == nil)
    await backend.stop()
  }
}
