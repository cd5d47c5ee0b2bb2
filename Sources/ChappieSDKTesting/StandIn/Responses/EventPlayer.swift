import ChappieSDK
import GLibBridge

/// Writes the events of an answer at a pace, up to where it shall break.
@GLibActor
struct EventPlayer {
  /// How the events end.
  enum Ending: Sendable, Equatable {
    /// After the last event.
    case complete
    /// After so many deltas the body ends as if it were whole.
    case endAfter(deltas: Int)
    /// After so many deltas the connection is cut.
    case dropAfter(deltas: Int)

    fileprivate var lastDelta: Int? {
      switch self {
      case .complete: nil
      case .endAfter(let deltas), .dropAfter(let deltas): deltas
      }
    }
  }

  /// What is left to do with the connection.
  enum Outcome {
    case complete
    case ended
    case dropped
  }

  /// The time from a delta to the next; zero is as fast as the client reads.
  let interval: Duration
  let ending: Ending

  /// Writes `count` events; `event` makes each when its time has come.
  func play(
    _ count: Int, event: (Int) -> ChappieJSONValue, write: @GLibActor (ChappieJSONValue) async throws -> Void
  ) async throws -> Outcome {
    let start = ContinuousClock.now
    var deltas = 0
    for index in 0..<count {
      let event = event(index)
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
    return switch ending {
    case .endAfter(deltas): .ended
    case .dropAfter(deltas): .dropped
    default: .complete
    }
  }

  /// Deltas have their times counted from the start, so that late timers do not add up.
  private func wait(beforeDelta number: Int, since start: ContinuousClock.Instant) async throws {
    if interval > .zero {
      let rest = start + interval * number - .now
      if rest > .zero { try await sleep(for: rest) }
    } else if number % 32 == 31 {
      // A fast reader would otherwise keep every other client waiting.
      await Task.yield()
    }
  }
}
