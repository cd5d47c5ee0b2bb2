// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Testing

@testable import ChappieService

@GLibActor
struct ServiceTurnStatusTests {
  private static let response = ChappieResponse(
    outputText: "text", responseID: "resp_1", model: "gpt-test", usage: ChappieTokenUsage())
  private static let error = BusError(.network, "It broke off.")

  @Test func eachStatusHasItsWord() {
    let statuses: [ServiceTurn.Status] = [
      .running, .completed(Self.response), .failed(Self.error, [:]), .cancelled(Self.error, [:]),
    ]
    #expect(statuses.map(\.word) == ["running", "completed", "failed", "cancelled"])
  }

  @Test func theDetailsContainTheResultOfTheTurn() {
    #expect(ServiceTurn.Status.running.details.isEmpty)
    #expect(ServiceTurn.Status.completed(Self.response).details == Self.response.details)
    let expected: VariantDictionary = [
      "partial_text": "te", "error": "org.chappie.Error.Network", "message": "It broke off.",
    ]
    #expect(ServiceTurn.Status.failed(Self.error, ["partial_text": "te"]).details == expected)
    #expect(ServiceTurn.Status.cancelled(Self.error, ["partial_text": "te"]).details == expected)
  }
}
