// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import SQLite

/// The table of turns.
extension ThreadTables {
  /// Adds a turn after the last one, and returns the size of its encrypted content in bytes.
  func append(_ turn: ChappieTurn, to thread: String) throws -> Int {
    let place = ThreadSealer.Place(
      thread: thread, sequence: try nextPlace(in: thread), id: turn.id,
      recordedAt: StoredTime(seconds: Timestamp(clamping: turn.recordedAtSeconds), rest: turn.recordedAtMicroseconds))
    return try insert(turn.events, at: place)
  }

  /// The place after the last row of a thread.
  private func nextPlace(in thread: String) throws -> Int {
    var last: Count = 0
    // A place out of range is damage, and no place that a turn can follow.
    try database.forEach(
      "SELECT max(sequence) FROM turns WHERE thread = ? AND sequence BETWEEN 0 AND ?", .text(thread),
      .integer(Int64(Count.maximum.value))
    ) { last = $0.count(0) ?? 0 }
    guard last < .maximum else {
      throw ChappieThreadStoreError.unreadable("The thread is damaged and takes no more turns: begin another one.")
    }
    return last.value + 1
  }

  /// Adds a row, and returns the size of its encrypted content in bytes.
  private func insert(_ events: [ChappieTurnEvent], at place: ThreadSealer.Place) throws -> Int {
    let content = try seal.seal(events, at: place)
    try database.run(
      "INSERT INTO turns (thread, sequence, id, recorded_at, content) VALUES (?, ?, ?, ?, ?)", .text(place.thread),
      .integer(Int64(place.sequence)), .text(place.id), .integer(place.recordedAt.microseconds), .bytes(content))
    return content.count
  }

  /// Removes the last turn, and leaves a mark after its place.
  ///
  /// Without the mark the next turn would have the same place, and whoever can write to the file could put the removed
  /// row back there. The mark makes its own place the last one, and what is in the places before it, down to the removed
  /// turn's, counts for nothing.
  ///
  /// - Returns: the sizes of the rows, for the limit.
  /// - Throws: ``ChappieThreadStoreError/unreadable(_:)`` if the last turn is damaged; ``ChappieClientError`` if there
  ///   is no such turn to remove.
  func undoTurn(
    of thread: String, asking text: String?, at time: StoredTime
  ) throws -> (added: Int, removed: Int) {
    let place = ThreadSealer.Place(thread: thread, sequence: try nextPlace(in: thread), id: "", recordedAt: time)
    let first = try firstRemoved(of: thread, asking: text)
    let removed = try database.number(
      "SELECT sum(length(content) + ?) FROM turns WHERE thread = ? AND sequence >= ?", .integer(Int64(Self.rowBytes)),
      .text(thread), .integer(Int64(first)))
    try database.run("DELETE FROM turns WHERE thread = ? AND sequence >= ?", .text(thread), .integer(Int64(first)))
    let added = try insert(ThreadSealer.Place.mark(first: first), at: place)
    return (added + Self.rowBytes, removed?.value ?? 0)
  }

  /// The place of the last turn; that of an earlier removal if its mark is just before that turn, so that one mark
  /// serves both.
  private func firstRemoved(of thread: String, asking text: String?) throws -> Int {
    var rows: [(place: ThreadSealer.Place, content: ThreadSealer.Content)?] = []
    // The newest first: a mark may follow the turn, and another one precede it.
    try database.forEach(
      "SELECT sequence, id, recorded_at, content FROM turns WHERE thread = ? ORDER BY sequence DESC LIMIT 3",
      .text(thread)
    ) { row in
      rows.append(
        Self.place(of: row, in: thread).flatMap { place in seal.content(row.bytes(3), at: place).map { (place, $0) } })
    }
    let fromLast = rows.drop { if case (_, .mark)? = $0 { true } else { false } }
    guard let last = fromLast.first else { throw ChappieClientError.noTurn }
    guard case (let place, .turn(let turn))? = last else {
      throw ChappieThreadStoreError.unreadable(en("The last turn of the thread is damaged, so it cannot be removed."))
    }
    try turn.checkRemoval(asking: text)
    if case (let before, .mark(let first))?? = fromLast.dropFirst().first, before.sequence == place.sequence - 1 {
      return first
    }
    return place.sequence
  }

  /// Calls `body` with each turn in order, still encrypted.
  func forEachTurn(
    of thread: String, _ body: (_ sequence: Int?, _ place: ThreadSealer.Place?, _ content: [UInt8]) throws -> Void
  ) throws {
    try database.forEach(
      "SELECT sequence, id, recorded_at, content FROM turns WHERE thread = ? ORDER BY sequence", .text(thread)
    ) { row in
      try body(row.count(0)?.value, Self.place(of: row, in: thread), row.bytes(3))
    }
  }

  /// The place of a row; nil if one of its numbers is out of range.
  private static func place(of row: borrowing DatabaseRow, in thread: String) -> ThreadSealer.Place? {
    guard let sequence = row.count(0)?.value, let time = StoredTime(row.time(2)) else { return nil }
    return ThreadSealer.Place(thread: thread, sequence: sequence, id: row.text(1), recordedAt: time)
  }
}

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
    if entry.state == .damaged { note(damage: 0, Self.changed) }
  }

  /// Takes the next row.
  ///
  /// - Parameters:
  ///   - sequence: nil if it is out of range.
  ///   - content: nil if it cannot be decrypted.
  mutating func take(_ sequence: Int?, _ content: ThreadSealer.Content?) {
    guard let sequence else { return note(damage: next, Self.changed) }
    let first = if case .mark(let first) = content { first } else { sequence }
    if first > next { note(damage: next, Self.missing(first - next)) }
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
    case nil: note(damage: sequence, Self.changed)
    }
  }

  /// The thread, after its last row.
  var whole: ChappieThread {
    var reader = self
    let missing = thread.summary.turnCount + removed.reduce(0) { $0 + $1.count } - (next - 1)
    if missing > 0 { reader.note(damage: next, Self.missing(missing)) }
    return reader.thread
  }

  private static let changed = "it was changed, or encrypted with another key"

  private static func missing(_ count: Int) -> String {
    count == 1 ? "it is missing" : "it is missing, and so are the next \(count - 1)"
  }

  private mutating func note(damage place: Int, _ reason: String) {
    thread.damage.append(ChappieThreadDamage(offset: Int64(place), reason: reason))
  }
}
