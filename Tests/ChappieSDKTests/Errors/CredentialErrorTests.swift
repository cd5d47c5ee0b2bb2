import GLibBridge
import Testing

@testable import ChappieSDK

struct ErrorMappingTests {
  @Test func aStoreThatIsLockedIsNoStoreThatIsGone() {
    guard case .locked(let locked) = SecretStoreError.locked.authError,
      case .keyringUnavailable(let gone) = SecretStoreError.unavailable("it hangs").authError
    else {
      Issue.record("another error")
      return
    }
    #expect(locked.contains("unlock"))
    #expect(gone.contains("it hangs"))
    #expect(SecretStoreError.locked.clientError == .locked(locked))
    #expect(SecretStoreError.unavailable("it hangs").clientError == .keyringUnavailable(gone))
  }

  @Test(
    arguments: [
      (.missingRefreshToken, .missingRefreshToken), (.locked("l"), .locked("l")),
      (.keyringUnavailable("k"), .keyringUnavailable("k")),
      (
        .renewalFailed(status: 403, message: "m"), .signInServer(.renewalFailed(status: 403, message: "m"))
      ), (.network("n"), .signInServer(.network("n"))),
    ] as [(ChappieAuthError, ChappieClientError)])
  func aRequestMeetsTheSameFailure(_ error: ChappieAuthError, _ expected: ChappieClientError) {
    #expect(error.clientError == expected)
  }

  @Test func aSignInMeetsTheFailuresOfTheStore() {
    #expect(ChappieClientError.locked("l").authError == .locked("l"))
    #expect(ChappieClientError.keyringUnavailable("k").authError == .keyringUnavailable("k"))
    for error in [ChappieClientError.missingCredential, .network("n"), .httpError(500, ""), .invalidArgument("i")] {
      #expect(error.authError == nil)
    }
  }

  @Test func whateverIsThrownBecomesAFailureOfASignIn() {
    struct Unknown: Error {}
    #expect(ChappieAuthError(ChappieAuthError.declined) == .declined)
    #expect(ChappieAuthError(SecretStoreError.locked) == SecretStoreError.locked.authError)
    #expect(ChappieAuthError(CancellationError()) == .cancelled)
    guard case .invalidResponse = ChappieAuthError(Unknown()) else {
      Issue.record("another error")
      return
    }
  }
}
