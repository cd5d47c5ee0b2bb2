// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

struct ModelCatalogueTests {
  private struct Unforeseen: Error {
    let words = "what-a-server-wrote"
  }

  @Test func theLogNamesTheReasonOfAKnownFailure() {
    let outage = ChappieClientError.httpError(503, "what-a-server-wrote")
    #expect(ExchangeFailure.reason(of: outage) == "the backend answered with status 503")
    #expect(
      ExchangeFailure.reason(of: ExchangeFailure.unavailable(outage, retryAfter: nil))
        == "the backend answered with status 503")
    #expect(ExchangeFailure.reason(of: CredentialError.locked("The screen is locked.")) == "The screen is locked")
    #expect(ExchangeFailure.reason(of: GLibError.timedOut) == "timed out")
  }

  @Test func onlyACancelledRequestIsCalledCancelled() {
    #expect(ExchangeFailure.reason(of: CancellationError()) == "the request was cancelled")
    #expect(ExchangeFailure.reason(of: Unforeseen()) == "an unexpected error of type Unforeseen")
  }
}
