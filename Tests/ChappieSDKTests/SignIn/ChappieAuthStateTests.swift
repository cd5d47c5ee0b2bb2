import ChappieSDK
import Testing

/// The bus uses the same words, so a change of one breaks scripts.
struct ChappieAuthStateTests {
  @Test func statesHaveTheirWords() {
    #expect(
      ChappieAuthState.allCases.map(\.rawValue)
        == ["restoring", "signed-out", "signing-in", "signed-in", "reauthentication-required"])
  }

  @Test func linkStatesHaveTheirWords() {
    #expect(
      ChappieDeviceLinkState.allCases.map(\.rawValue)
        == [
          "idle", "requesting-code", "waiting-for-approval", "exchanging", "linked", "declined", "expired", "cancelled",
          "failed",
        ])
  }

  @Test func aSignInRunsUntilItHasEnded() {
    #expect(
      ChappieDeviceLinkState.allCases.filter(\.isRunning) == [.requestingCode, .waitingForApproval, .exchanging])
  }
}
