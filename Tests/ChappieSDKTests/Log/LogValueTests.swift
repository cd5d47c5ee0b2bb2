// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

struct LogValueTests {
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
