// SPDX-License-Identifier: Apache-2.0
import ChappieSDKRuntime
import GLibBridge
import Testing

@testable import ChappieSDK
@testable import ChappieService

struct ServiceErrorTests {
  /// Programs depend on these names.
  @Test func theListOfErrorNamesIsComplete() {
    #expect(
      Set(ErrorName.allCases.map(\.busName))
        == Set(
          [
            "MissingCredential", "MissingRefreshToken", "MissingAccountID", "ReauthenticationRequired",
            "TokenExchangeFailed", "UsageLimitReached", "RateLimited", "HTTPError", "Network", "Locked",
            "KeyringUnavailable", "AccessDenied", "InvalidArgument", "LimitExceeded", "Cancelled", "NoSuchTurn",
            "StreamingTransportReplayDiverged", "MissingToolHandler", "ToolApprovalDenied", "ToolLoopLimitExceeded",
            "NoSuchThread", "StoreFull", "StoreUnavailable", "RevocationFailed",
            "AccountMismatch", "SignInDeclined", "SignInExpired", "PlanUseNotGranted", "PlanUseNotEligible",
            "UnsupportedCapability",
          ].map { "org.chappie.Error.\($0)" }))
  }

  @Test(
    arguments: [
      (.missingCredential, .missingCredential), (.missingRefreshToken, .missingRefreshToken),
      (.missingAccountID, .missingAccountID), (.reauthenticationRequired("r"), .reauthenticationRequired),
      (.usageLimitReached(ChappieUsageLimit(plan: nil, resetsAt: nil)), .usageLimitReached),
      (.httpError(429, ""), .rateLimited),
      (.httpError(200, ""), .httpError), (.httpError(500, ""), .httpError), (.network("n"), .network),
      (.signInServer(.network("n")), .network), (.signInServer(.renewalFailed(status: 503, message: "")), .httpError),
      (.signInServer(.renewalFailed(status: 429, message: "")), .rateLimited), (.locked("l"), .locked),
      (.keyringUnavailable("k"), .keyringUnavailable), (.invalidArgument("i"), .invalidArgument),
      (.limitExceeded("l"), .limitExceeded), (.planUseNotGranted, .planUseNotGranted),
      (.planUseNotEligible("r"), .planUseNotEligible), (.unsupportedCapability("p"), .unsupportedCapability),
      (.streamingTransportReplayDiverged("p"), .streamingTransportReplayDiverged),
      (.missingToolHandler("t"), .missingToolHandler), (.toolApprovalDenied("t", "r"), .toolApprovalDenied),
      (.toolLoopLimitExceeded(3), .toolLoopLimitExceeded),
    ] as [(ChappieClientError, ErrorName)])
  func eachClientErrorHasItsName(_ error: ChappieClientError, _ name: ErrorName) {
    #expect(BusError(error) == BusError(name: name.busName, message: error.description))
  }

  @Test(
    arguments: [
      (.missingRefreshToken, .missingRefreshToken),
      (.tokenExchangeFailed(status: 400, message: ""), .tokenExchangeFailed),
      (.renewalFailed(status: 403, message: ""), .httpError),
      (.deviceCodeRequestFailed(status: 404, message: ""), .httpError), (.declined, .signInDeclined),
      (.ended("e"), .reauthenticationRequired), (.renewalTooEarly, .network), (.accountMismatch, .accountMismatch),
      (.identityNotVerified("i"), .httpError), (.expired, .signInExpired), (.cancelled, .cancelled),
      (.invalidResponse("i"), .httpError),
      (.invalidAddress("i"), .invalidArgument),
      (.network("n"), .network), (.revocationFailed("r"), .revocationFailed),
      (.locked("l"), .locked), (.keyringUnavailable("k"), .keyringUnavailable),
    ] as [(ChappieAuthError, ErrorName)])
  func eachSignInErrorHasItsName(_ error: ChappieAuthError, _ name: ErrorName) {
    #expect(BusError(error) == BusError(name: name.busName, message: error.description))
  }

  @Test(
    arguments: [
      (.noSuchThread("t"), .noSuchThread), (.exists("t"), .invalidArgument), (.full("f"), .storeFull),
      (.locked("l"), .locked), (.keyringUnavailable("k"), .keyringUnavailable), (.unavailable("u"), .storeUnavailable),
      (.busy("b"), .storeUnavailable), (.unreadable("u"), .storeUnavailable),
    ] as [(ChappieThreadStoreError, ErrorName)])
  func eachThreadStoreErrorHasItsName(_ error: ChappieThreadStoreError, _ name: ErrorName) {
    #expect(BusError(error) == BusError(name: name.busName, message: error.description))
    let response = ChappieResponse(
      outputText: "answer", responseID: "r", model: "m", usage: ChappieTokenUsage())
    let notStored = BusError(
      notStored: error, ChappieRuntimeError.notStored(response, error), turn: "turn-1")
    #expect(notStored.name == name.busName)
    #expect(notStored.message.contains("could not be stored"))
    #expect(notStored.message.contains("turn-1"))
  }

  @Test func errorsOfOtherTypesHaveNames() {
    struct Unknown: Error {}
    let ready = BusError(.noSuchTurn, "There is no such turn.")
    #expect(BusError(ready as any Error) == ready)
    #expect(BusError(CancellationError()).name == "org.chappie.Error.Cancelled")
    #expect(BusError(GLibError.timedOut).name == "org.chappie.Error.Network")
    #expect(BusError(Unknown()).name == "org.chappie.Error.Network")
    let wrongType = BusError(VariantError(key: "model", expected: "s", found: "u"))
    #expect(wrongType == BusError(.invalidArgument, "'model' must have type 's', not 'u'."))
  }

  // MARK: Details

  @Test func theDetailsContainTheStatusOrThePlanAndReset() {
    let limit = ChappieUsageLimit(plan: ChappiePlan(rawValue: "plus"), resetsAtSeconds: 1_893_456_000)
    for (error, details) in [
      (.httpError(503, ""), ["status": UInt32(503)]), (.httpError(-1, ""), ["status": UInt32(0)]),
      (.signInServer(.renewalFailed(status: 503, message: "")), ["status": UInt32(503)]),
      (.usageLimitReached(limit), ["plan": "plus", "resets_at": Int64(1_893_456_000)]),
      (.usageLimitReached(ChappieUsageLimit(plan: nil, resetsAt: nil)), [:]), (.signInServer(.network("n")), [:]),
      (.missingCredential, [:]), (.network("n"), [:]), (.locked("l"), [:]), (.reauthenticationRequired("r"), [:]),
    ] as [(ChappieClientError, VariantDictionary)] {
      #expect(error.details == details, "\(error)")
    }
  }
}
