import GLibBridge
import Testing

@testable import ChappieSDK

struct ModelCatalogueTests {
  private struct Unforeseen: Error {
    let words = "what-a-server-wrote"
  }

  @Test func theLogNamesTheReasonOfAKnownFailure() {
    let outage = ChappieClientError.httpError(503, "what-a-server-wrote")
    #expect(ModelQuestion.reason(of: outage) == "the backend answered with status 503")
    #expect(
      ModelQuestion.reason(of: ExchangeFailure.unavailable(outage, retryAfter: nil))
        == "the backend answered with status 503")
    #expect(ModelQuestion.reason(of: CredentialError.locked("The screen is locked.")) == "The screen is locked")
    #expect(ModelQuestion.reason(of: GLibError.timedOut) == "timed out")
  }

  @Test func onlyACancelledRequestIsCalledCancelled() {
    #expect(ModelQuestion.reason(of: CancellationError()) == "the request was cancelled")
    #expect(ModelQuestion.reason(of: Unforeseen()) == "an unexpected error of type Unforeseen")
  }
}
