// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct ChappieAuthErrorTests {
  private static let errors: [ChappieAuthError] = [
    .missingRefreshToken, .tokenExchangeFailed(status: 400, message: "invalid_grant"),
    .tokenExchangeFailed(status: 500, message: ""), .deviceCodeRequestFailed(status: 404, message: ""),
    .deviceCodeRequestFailed(status: 500, message: "broken"), .declined, .expired, .cancelled,
    .invalidResponse("there is no code in it"), .network("no route"), .locked("It is locked."),
    .keyringUnavailable("There is none."), .tokenExchangeFailed(status: 400, message: "It has been revoked."),
    .renewalFailed(status: 503, message: "It is down."), .invalidResponse("It is empty."), .network("It is gone."),
  ]

  /// The rule of the seeds: a missing refresh token, and 400, 401 or 403 of the token endpoint.
  @Test(arguments: [
    (399, false), (400, true), (401, true), (402, false), (403, true), (404, false), (429, false), (500, false),
  ])
  func refusalsOfTheTokenEndpointNeedASignIn(_ status: Int, _ isNeeded: Bool) {
    #expect(ChappieAuthError.tokenExchangeFailed(status: status, message: "").requiresReauthentication == isNeeded)
  }

  @Test func noOtherFailureNeedsASignIn() {
    #expect(ChappieAuthError.missingRefreshToken.requiresReauthentication)
    let others: [ChappieAuthError] = [
      .deviceCodeRequestFailed(status: 400, message: ""), .declined, .expired, .cancelled, .invalidResponse(""),
      .invalidAddress(""), .network(""), .locked(""), .keyringUnavailable(""),
    ]
    for error in others { #expect(!error.requiresReauthentication, "\(error)") }
  }

  @Test(arguments: errors)
  func descriptionIsASentence(_ error: ChappieAuthError) {
    let text = error.description
    #expect(text.first?.isUppercase == true)
    #expect(text.last == ".")
    #expect(!text.contains(": ."))
    #expect(!text.contains(".."))
  }

  @Test func descriptionNamesTheSettingForDeviceCodes() {
    #expect(
      ChappieAuthError.deviceCodeRequestFailed(status: 404, message: "").description.contains("Settings, Security"))
  }
}
