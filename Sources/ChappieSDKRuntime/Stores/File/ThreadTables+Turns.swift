// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import SQLite

/// The table of turns.
extension ThreadTables {
  /// Adds a turn after the last one, and returns the size of its encrypted content in bytes.
  static func append(
    _ turn: ChappieTurn, to thread: String, _ seal: ThreadSealer, _ database: Database
  ) throws -> Int {
    let place = ThreadSealer.Place(
      thread: thread, sequence: try nextPlace(in: thread, database), id: turn.id,
      recordedAt: StoredTime(seconds: Timestamp(clamping: turn.recordedAtSeconds), rest: turn.recordedAtMicroseconds))
    return try insert(turn.events, at: place, seal, database)
  }

  /// The place after the last row of a thread.
  private static func nextPlace(in thread: String, _ database: Database) throws -> Int {
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
  private static func insert(
    _ events: [ChappieTurnEvent], at place: ThreadSealer.Place, _ seal: ThreadSealer, _ database: Database
  ) throws -> Int {
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
  static func undoTurn(
    of thread: String, asking text: String?, at time: StoredTime, _ seal: ThreadSealer, _ database: Database
  ) throws -> (added: Int, removed: Int) {
    let place = ThreadSealer.Place(
      thread: thread, sequence: try nextPlace(in: thread, database), id: "", recordedAt: time)
    let first = try firstRemoved(of: thread, asking: text, seal, database)
    let removed = try database.number(
      "SELECT sum(length(content) + ?) FROM turns WHERE thread = ? AND sequence >= ?", .integer(Int64(rowBytes)),
      .text(thread), .integer(Int64(first)))
    try database.run("DELETE FROM turns WHERE thread = ? AND sequence >= ?", .text(thread), .integer(Int64(first)))
    let added = try insert(ThreadSealer.Place.mark(first: first), at: place, seal, database)
    return (added + rowBytes, removed?.value ?? 0)
  }

  /// The place of the last turn; that of an earlier removal if its mark is just before that turn, so that one mark
  /// serves both.
  private static func firstRemoved(
    of thread: String, asking text: String?, _ seal: ThreadSealer, _ database: Database
  ) throws -> Int {
    var rows: [(place: ThreadSealer.Place, content: ThreadSealer.Content)?] = []
    // The newest first: a mark may follow the turn, and another one precede it.
    try database.forEach(
      "SELECT sequence, id, recorded_at, content FROM turns WHERE thread = ? ORDER BY sequence DESC LIMIT 3",
      .text(thread)
    ) { row in
      rows.append(
        place(of: row, in: thread).flatMap { place in seal.content(row.bytes(3), at: place).map { (place, $0) } })
    }
    let fromLast = rows.drop { if case (_, .mark)? = $0 { true } else { false } }
    guard let last = fromLast.first else { throw ChappieClientError.noTurn }
    guard case (let place, .turn(let turn))? = last else {
      throw ChappieThreadStoreError.unreadable("The last turn of the thread is damaged, so it cannot be removed.")
    }
    try turn.checkRemoval(asking: text)
    if case (let before, .mark(let first))?? = fromLast.dropFirst().first, before.sequence == place.sequence - 1 {
      return first
    }
    return place.sequence
  }

  /// Calls `body` with each turn in order, still encrypted.
  static func forEachTurn(
    of thread: String, _ database: Database,
    _ body: (_ sequence: Int?, _ place: ThreadSealer.Place?, _ content: [UInt8]) throws -> Void
  ) throws {
    try database.forEach(
      "SELECT sequence, id, recorded_at, content FROM turns WHERE thread = ? ORDER BY sequence", .text(thread)
    ) { row in
      try body(row.count(0)?.value, place(of: row, in: thread), row.bytes(3))
    }
  }

  /// The place of a row; nil if one of its numbers is out of range.
  private static func place(of row: borrowing DatabaseRow, in thread: String) -> ThreadSealer.Place? {
    guard let sequence = row.count(0)?.value, let time = StoredTime(row.time(2)) else { return nil }
    return ThreadSealer.Place(thread: thread, sequence: sequence, id: row.text(1), recordedAt: time)
  }
}
