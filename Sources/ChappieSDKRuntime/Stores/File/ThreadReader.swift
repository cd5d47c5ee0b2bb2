// SPDX-License-Identifier: Apache-2.0
import Platform

/// Puts a thread together from its rows, and notes what is damaged.
struct ThreadReader {
  private var thread: ChappieThread
  /// The places of the thread's turns.
  private var places: [Int] = []
  /// The places of turns that were removed, with that of the mark that says so.
  private var removed: [ClosedRange<Int>] = []
  /// The place that follows the last row.
  private var next = 1

  init(_ entry: ThreadIndex.Entry) {
    thread = ChappieThread(summary: entry.summary)
    if entry.state == .damaged { note(damage: 0, .changed) }
  }

  /// Takes the next row.
  ///
  /// - Parameters:
  ///   - sequence: nil if it is out of range.
  ///   - content: nil if it cannot be decrypted.
  mutating func take(_ sequence: Int?, _ content: ThreadSealer.Content?) {
    guard let sequence else { return note(damage: next, .changed) }
    let first = if case .mark(let first) = content { first } else { sequence }
    if first > next { note(damage: next, .missing(first - next)) }
    next = sequence + 1
    switch content {
    case .turn(let turn):
      thread.turns.append(turn)
      places.append(sequence)
    case .mark:
      // A row that was put back in the place of a removed turn counts for nothing.
      while let last = places.last, last >= first {
        places.removeLast()
        thread.turns.removeLast()
      }
      thread.damage.removeAll { $0.offset >= first }
      removed.removeAll { $0.lowerBound >= first }
      removed.append(first...sequence)
    case nil: note(damage: sequence, .changed)
    }
  }

  /// The thread, after its last row.
  var whole: ChappieThread {
    var reader = self
    let missing = thread.summary.turnCount + removed.reduce(0) { $0 + $1.count } - (next - 1)
    if missing > 0 { reader.note(damage: next, .missing(missing)) }
    return reader.thread
  }

  private mutating func note(damage place: Int, _ what: Damage) {
    thread.damage.append(ChappieThreadDamage(offset: Int64(place), reason: what.reason))
  }
}

/// The damage to a part of a thread.
private enum Damage {
  case changed
  case missing(Int)

  var reason: String {
    switch self {
    case .changed: "it was changed, or encrypted with another key"
    case .missing(1): "it is missing"
    case .missing(let count): "it is missing, and so are the next \(count - 1)"
    }
  }
}
