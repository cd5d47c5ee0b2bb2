// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import ChappieSDK

/// What errors say, what becomes of them on their way to an app, and what the log may show.
struct ErrorDescriptionTests {
  private static let clientErrors: [ChappieClientError] = [
    .missingCredential, .missingRefreshToken, .missingAccountID,
    .reauthenticationRequired("It has ended: sign in again."),
    .usageLimitReached(ChappieUsageLimit(plan: nil, resetsAt: nil)), .httpError(500, ""), .network("no route"),
    .locked("It is locked: unlock it."), .keyringUnavailable("There is none: start it."),
    .invalidArgument("There is no text: give some."), .network("It is gone."),
    .signInServer(.renewalFailed(status: 503, message: "It is down.")), .signInServer(.network("It is gone.")),
  ]
  private static let authErrors: [ChappieAuthError] = [
    .missingRefreshToken, .tokenExchangeFailed(status: 400, message: "invalid_grant"),
    .tokenExchangeFailed(status: 500, message: ""), .deviceCodeRequestFailed(status: 404, message: ""),
    .deviceCodeRequestFailed(status: 500, message: "broken"), .declined, .expired, .cancelled,
    .invalidResponse("there is no code in it"), .network("no route"), .locked("It is locked."),
    .keyringUnavailable("There is none."), .tokenExchangeFailed(status: 400, message: "It has been revoked."),
    .renewalFailed(status: 503, message: "It is down."), .invalidResponse("It is empty."), .network("It is gone."),
  ]

  @Test(arguments: clientErrors.map(\.description) + authErrors.map(\.description))
  func descriptionIsASentence(_ text: String) {
    #expect(text.first?.isUppercase == true)
    #expect(text.last == ".")
    for part in ["\n", "..", ": ."] { #expect(!text.contains(part)) }
  }

  @Test func descriptionNamesTheServerThePlanAndTheStatus() {
    // The backend gave no message.
    for error in [ChappieAuthError.renewalFailed(status: 503, message: "down"), .network("down")] {
      let text = ChappieClientError(.signIn(error)).description
      #expect(text.contains("sign-in server") && !text.contains("backend"), "\(text)")
    }
    let limit = ChappieUsageLimit(plan: ChappiePlan(rawValue: "plus"), resetsAt: .init(unixSeconds: 1))
    #expect(ChappieClientError.usageLimitReached(limit).description.contains("Plus plan"))
    #expect(ChappieClientError.httpError(503, "").description.contains("503"))
    #expect(ChappieClientError.httpError(503, "at capacity").description.hasSuffix("at capacity"))
    #expect(
      ChappieAuthError.deviceCodeRequestFailed(status: 404, message: "").description.contains("Settings, Security"))
  }

  /// The rule of the seeds: a missing refresh token, and 400, 401 or 403 of the token endpoint.
  @Test(arguments: [
    (399, false), (400, true), (401, true), (402, false), (403, true), (404, false), (429, false), (500, false),
  ])
  func refusalsOfTheTokenEndpointNeedASignIn(_ status: Int, _ isNeeded: Bool) {
    #expect(ChappieAuthError.tokenExchangeFailed(status: status, message: "").requiresReauthentication == isNeeded)
  }

  @Test func noOtherFailureNeedsASignIn() {
    #expect(ChappieAuthError.missingRefreshToken.requiresReauthentication)
    for error in [
      ChappieAuthError.deviceCodeRequestFailed(status: 400, message: ""), .declined, .expired, .cancelled,
      .invalidResponse(""), .invalidAddress(""), .network(""), .locked(""), .keyringUnavailable(""),
    ] {
      #expect(!error.requiresReauthentication, "\(error)")
    }
  }

  /// Apps show `localizedDescription`.
  @Test func localizedDescriptionIsTheDescription() {
    let error = ChappieAuthError.tokenExchangeFailed(status: 400, message: "no")
    #expect((error as any Error).localizedDescription == error.description)
    let other = ChappieClientError.signInServer(.network("no route"))
    #expect((other as any Error).localizedDescription == other.description)
  }

  // MARK: Conversions

  @Test(
    arguments: [
      (.missing, .missingCredential), (.unusable("u"), .missingCredential), (.locked("l"), .locked("l")),
      (.keyringUnavailable("k"), .keyringUnavailable("k")), (.signIn(.missingRefreshToken), .missingRefreshToken),
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

  @Test func convertsAnyThrownError() throws {
    struct Unknown: Error {}
    #expect(CredentialError(SecretStoreError.locked) == .keyringLocked)
    #expect(CredentialError(SecretStoreError.unavailable("it hangs")) == .keyringFailed("it hangs"))
    #expect(CredentialError(ChappieAuthError.declined as any Error) == .signIn(.declined))
    #expect(CredentialError(CredentialError.locked("l") as any Error) == .locked("l"))
    #expect(CredentialError(CancellationError() as any Error) == .signIn(.cancelled))
    guard case .signIn(.invalidResponse) = CredentialError(Unknown() as any Error) else {
      throw UnmetCondition("the error")
    }
  }

  // MARK: The log

  /// A log message compiles only with log values.
  @Test func privateTypesAreNoLogValues() {
    let forbidden: [Any.Type] = [
      Credential.self, AccessGrant.self, ChappieAccountInfo.self, ChappieDeviceCode.self, SlotIdentity.self,
      ChappieInputMessage.self, ChappieResponse.self, ChappieConfiguration.self,
    ]
    for type in forbidden { #expect(!(type is any LogValue.Type), "\(type)") }
  }

  /// Servers, callers and the model put text into errors. The log must show none of it.
  @Test func logTextOmitsForeignText() {
    let words = "what-somebody-else-wrote"
    let requests: [ChappieClientError] = [
      .httpError(400, words), .missingToolHandler(words), .toolApprovalDenied(words, words), .invalidArgument(words),
      .limitExceeded(words), .streamingTransportReplayDiverged(words), .reauthenticationRequired(words),
      .signInServer(.tokenExchangeFailed(status: 400, message: words)),
    ]
    let signIns: [ChappieAuthError] = [
      .tokenExchangeFailed(status: 400, message: words), .renewalFailed(status: 502, message: words),
      .deviceCodeRequestFailed(status: 404, message: words), .invalidResponse(words),
    ]
    for text in requests.map(\.logText) + signIns.map(\.logText) { #expect(!text.contains(words) && !text.isEmpty) }
    #expect(ChappieAuthError.tokenExchangeFailed(status: 400, message: words).logText.contains("400"))
  }
}
