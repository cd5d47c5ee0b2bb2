// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct ChappieClientErrorTests {
  private static let errors: [ChappieClientError] = [
    .missingCredential, .missingRefreshToken, .missingAccountID,
    .reauthenticationRequired("It has ended: sign in again."),
    .usageLimitReached(ChappieUsageLimit(plan: nil, resetsAt: nil)), .httpError(500, "broken"), .httpError(500, ""),
    .network("no route"), .locked("It is locked: unlock it."), .keyringUnavailable("There is none: start it."),
    .invalidArgument("There is no text: give some."), .network("It is gone."),
    .signInServer(.renewalFailed(status: 503, message: "It is down.")), .signInServer(.network("It is gone.")),
  ]

  @Test(arguments: errors)
  func descriptionIsASentence(_ error: ChappieClientError) {
    let text = error.description
    #expect(text.first?.isUppercase == true)
    #expect(text.last == "." || text.hasSuffix("broken"))
    #expect(!text.contains("\n"))
    #expect(!text.contains(".."))
  }

  /// The backend gave no message.
  @Test func descriptionNamesTheSignInServerNotTheBackend() {
    for error in [ChappieAuthError.renewalFailed(status: 503, message: "down"), .network("down")] {
      let text = ChappieClientError(.signIn(error)).description
      #expect(text.contains("sign-in server"))
      #expect(!text.contains("backend"))
    }
  }

  @Test func descriptionNamesThePlan() {
    let limit = ChappieUsageLimit(plan: ChappiePlan(rawValue: "plus"), resetsAtSeconds: 1)
    #expect(ChappieClientError.usageLimitReached(limit).description.contains("Plus plan"))
  }

  @Test func descriptionNamesTheStatus() {
    #expect(ChappieClientError.httpError(503, "").description.contains("503"))
    #expect(ChappieClientError.httpError(503, "at capacity").description.hasSuffix("at capacity"))
  }
}
