// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Writes the events of an answer at a pace, all of them or only the first.
@GLibActor
struct EventPlayer {
  /// The place at which the events end, and the way in which they end.
  enum Ending: Sendable, Equatable {
    /// The body ends after the last event.
    case complete
    /// The body ends cleanly after this number of deltas.
    case endAfter(deltas: Int)
    /// The connection is cut after this number of deltas.
    case dropAfter(deltas: Int)

    fileprivate var lastDelta: Int? {
      switch self {
      case .complete: nil
      case .endAfter(let deltas), .dropAfter(let deltas): deltas
      }
    }
  }

  /// The time between two deltas; zero for no limit.
  let interval: Duration
  let ending: Ending

  /// Writes the events of an answer.
  ///
  /// - Returns: ``ending``, or `complete` if the answer has fewer deltas. It decides between keeping, closing and cutting
  ///   the connection.
  func play(
    _ answer: ResponsesAnswer, _ write: @GLibActor (ChappieJSONValue) async throws -> Void
  ) async throws -> Ending {
    let start = ContinuousClock.now
    var deltas = 0
    for index in 0..<answer.count {
      let event = answer.event(at: index)
      guard let type = event["type"]?.stringValue, type.hasSuffix(".delta") else {
        try await write(event)
        continue
      }
      if deltas == ending.lastDelta { break }
      try await wait(beforeDelta: deltas, since: start)
      try await write(event)
      deltas += 1
      if deltas == ending.lastDelta { break }
    }
    return deltas == ending.lastDelta ? ending : .complete
  }

  /// Waits until the time of a delta, counted from the start, so that delays do not add up.
  private func wait(beforeDelta number: Int, since start: ContinuousClock.Instant) async throws {
    if interval > .zero {
      let rest = start + interval * number - .now
      if rest > .zero { try await sleep(for: rest) }
    } else if number % 32 == 31 {
      // Without a yield, a fast reader would block all other clients.
      await Task.yield()
    }
  }
}
