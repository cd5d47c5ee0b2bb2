// SPDX-License-Identifier: Apache-2.0

/// Ends an answer that goes on without an end. A stream that adds nothing to the answer takes no memory, and no other
/// bound would end it.
struct StreamBound {
  private let end: ContinuousClock.Instant
  private var rest = TurnLimits.streamBytes

  init(start: ContinuousClock.Instant = .now) {
    end = start + TurnLimits.streamTime
  }

  /// Counts the next bytes of the stream.
  mutating func take(_ bytes: Int, at time: ContinuousClock.Instant = .now) throws(ChappieClientError) {
    rest -= bytes
    guard rest >= 0 else {
      throw .limitExceeded("The backend sent more than \(TurnLimits.streamBytes >> 20) MiB for one answer.")
    }
    guard time <= end else {
      throw .limitExceeded(
        "The answer was not complete after \(TurnLimits.streamTime.components.seconds / 60) minutes.")
    }
  }
}
