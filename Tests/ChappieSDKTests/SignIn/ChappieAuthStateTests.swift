// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Testing

/// The bus uses the same words, so a change of one breaks scripts.
struct ChappieAuthStateTests {
  @Test func statesKeepTheirWords() {
    #expect(
      ChappieAuthState.allCases.map(\.rawValue)
        == ["restoring", "signed-out", "signing-in", "signed-in", "reauthentication-required"])
  }

  @Test func linkStatesKeepTheirWords() {
    #expect(
      ChappieDeviceLinkState.allCases.map(\.rawValue)
        == [
          "idle", "requesting-code", "waiting-for-approval", "waiting-for-browser", "exchanging", "verifying", "linked",
          "declined", "expired", "cancelled", "failed",
        ])
  }

  @Test func onlyUnfinishedLinkStatesAreRunning() {
    #expect(
      ChappieDeviceLinkState.allCases.filter(\.isRunning) == [
        .requestingCode, .waitingForApproval, .waitingForBrowser, .exchanging, .verifying,
      ])
  }
}
