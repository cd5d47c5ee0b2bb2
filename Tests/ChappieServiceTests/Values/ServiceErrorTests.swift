// SPDX-License-Identifier: Apache-2.0
import ChappieSDKRuntime

@testable import ChappieSDK
@testable import ChappieService

struct ServiceErrorTests {
  @Test(
    arguments: [
      (.missingCredential, .missingCredential), (.reauthenticationRequired("r"), .reauthenticationRequired),
      (.usageLimitReached(ChappieUsageLimit(plan: nil, resetsAt: nil)), .usageLimitReached),
      (.httpError(429, ""), .rateLimited), (.httpError(200, ""), .httpError), (.httpError(500, ""), .httpError),
      (.signInServer(.network("n")), .network), (.signInServer(.renewalFailed(status: 503, message: "")), .httpError),
      (.signInServer(.renewalFailed(status: 429, message: "")), .rateLimited), (.locked("l"), .locked),
      (.toolApprovalDenied("t", "r"), .toolApprovalDenied),
      (.streamingTransportReplayDiverged("t"), .streamingTransportReplayDiverged),
    ] as [(ChappieClientError, ErrorName)])
  func eachClientErrorHasItsName(_ error: ChappieClientError, _ name: ErrorName) {
    #expect(BusError(error) == BusError(name: name.busName, message: error.description))
  }

  @Test(
    arguments: [
      (.tokenExchangeFailed(status: 400, message: ""), .tokenExchangeFailed),
      (.renewalFailed(status: 403, message: ""), .httpError), (.ended("e"), .reauthenticationRequired),
      (.deviceCodeRequestFailed(status: 404, message: ""), .httpError), (.declined, .signInDeclined),
      (.renewalTooEarly, .network), (.identityNotVerified("i"), .httpError), (.expired, .signInExpired),
      (.invalidResponse("i"), .httpError), (.invalidAddress("i"), .invalidArgument), (.network("n"), .network),
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
    let notStored = BusError(notStored: error, turn: "turn-1")
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
    let limit = ChappieUsageLimit(plan: ChappiePlan(rawValue: "plus"), resetsAt: .init(unixSeconds: 1_893_456_000))
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
