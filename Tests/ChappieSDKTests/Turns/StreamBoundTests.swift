// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

/// The bounds that end every answer, in bytes and in time.
struct StreamBoundTests {
  @Test func limitsTheBytesOfAnAnswer() throws {
    var bound = StreamBound()
    try bound.take(TurnLimits.streamBytes - 1)
    try bound.take(1)
    #expect(throws: ChappieClientError.limitExceeded("The backend sent more than 256 MiB for one answer.")) {
      try bound.take(1)
    }
  }

  @Test func limitsTheDurationOfAnAnswer() throws {
    let start = ContinuousClock.now
    var bound = StreamBound(start: start)
    try bound.take(1, at: start + .seconds(3600))
    #expect(throws: ChappieClientError.limitExceeded("The answer was not complete after 60 minutes.")) {
      try bound.take(1, at: start + .seconds(3601))
    }
  }
}
