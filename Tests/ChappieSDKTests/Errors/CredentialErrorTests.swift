// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

struct CredentialErrorTests {
  @Test(
    arguments: [
      (.missing, .missingCredential), (.unusable("u"), .missingCredential), (.locked("l"), .locked("l")),
      (.keyringUnavailable("k"), .keyringUnavailable("k")),
      (.signIn(.missingRefreshToken), .missingRefreshToken),
      (
        .signIn(.renewalFailed(status: 403, message: "m")),
        .signInServer(.renewalFailed(status: 403, message: "m"))
      ), (.signIn(.network("n")), .signInServer(.network("n"))),
      (
        .reauthenticationRequired,
        .reauthenticationRequired("The sign-in has ended and cannot be renewed: sign in again.")
      ),
    ] as [(CredentialError, ChappieClientError)])
  func clientThrowsTheSameFailure(_ error: CredentialError, _ expected: ChappieClientError) {
    #expect(ChappieClientError(error) == expected)
  }

  @Test(
    arguments: [
      (.locked("l"), .locked("l")), (.keyringUnavailable("k"), .keyringUnavailable("k")),
      (.unusable("u"), .invalidResponse("u")), (.signIn(.declined), .declined),
    ] as [(CredentialError, ChappieAuthError)])
  func sessionShowsTheSameFailure(_ error: CredentialError, _ expected: ChappieAuthError) {
    #expect(ChappieAuthError(error) == expected)
  }

  @Test func convertsAnyThrownError() {
    struct Unknown: Error {}
    #expect(CredentialError(SecretStoreError.locked) == .keyringLocked)
    #expect(CredentialError(SecretStoreError.unavailable("it hangs")) == .keyringFailed("it hangs"))
    #expect(CredentialError(ChappieAuthError.declined as any Error) == .signIn(.declined))
    #expect(CredentialError(CredentialError.locked("l") as any Error) == .locked("l"))
    #expect(CredentialError(CancellationError() as any Error) == .signIn(.cancelled))
    guard case .signIn(.invalidResponse) = CredentialError(Unknown() as any Error) else {
      Issue.record("another error")
      return
    }
  }
}
