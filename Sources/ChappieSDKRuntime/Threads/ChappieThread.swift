// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A stored conversation: its summary and its turns.
public struct ChappieThread: Sendable, Hashable, Identifiable {
  /// The entry of the thread in a list.
  public var summary: ChappieThreadSummary
  /// The turns, the oldest first.
  public var turns: [ChappieTurn]
  /// The damaged or missing parts. The other turns are complete.
  public var damage: [ChappieThreadDamage]

  /// The id of the thread.
  public var id: String { summary.id }

  /// Creates a thread, for a store of your own.
  public init(summary: ChappieThreadSummary, turns: [ChappieTurn] = [], damage: [ChappieThreadDamage] = []) {
    self.summary = summary
    self.turns = turns
    self.damage = damage
  }
}

/// The entry of a thread in a list: everything but its turns.
public struct ChappieThreadSummary: Sendable, Hashable, Identifiable {
  /// Opaque; 1 to 64 of the characters `a` to `z`, `0` to `9` and `-`.
  public let id: String
  /// The title; empty if the thread has none. The runtime makes one of the first message.
  public var title = ""
  /// The time of creation, to the microsecond if that is known.
  public var createdAt: ChappieTime {
    get { ChappieTime(unixSeconds: createdAtSeconds, microseconds: createdAtMicroseconds) }
    set { (createdAtSeconds, createdAtMicroseconds) = (newValue.unixSeconds, newValue.microseconds) }
  }
  /// The time of the last turn, removal of a turn, rename or unarchiving, to the microsecond if that is known. It never
  /// goes back.
  public var updatedAt: ChappieTime {
    get { ChappieTime(unixSeconds: updatedAtSeconds, microseconds: updatedAtMicroseconds) }
    set { (updatedAtSeconds, updatedAtMicroseconds) = (newValue.unixSeconds, newValue.microseconds) }
  }
  /// The time of archiving; nil for an active thread.
  public var archivedAt: ChappieTime? {
    get { archivedAtSeconds.map { ChappieTime(unixSeconds: $0) } }
    set { archivedAtSeconds = newValue?.unixSeconds }
  }
  /// Unix seconds in UTC.
  package var createdAtSeconds: Int64
  /// Unix seconds in UTC.
  package var updatedAtSeconds: Int64
  /// Unix seconds in UTC.
  package var archivedAtSeconds: Int64?
  /// The number of turns, 0 or more.
  public var turnCount = 0
  /// The size in its store, in bytes, which each turn increases; 0 in a store that counts no sizes.
  public var bytes: Int64 = 0
  /// The number of the thread's last change. A store numbers its changes, so the thread with the larger number changed
  /// later, even if the clock was set back. 0 or more; 0 before a store has set it.
  public var changeNumber: Int64 = 0
  /// The microseconds to add to ``createdAtSeconds``, 0 to 999,999; 0 if they are unknown.
  package var createdAtMicroseconds: Int32 = 0
  /// The microseconds to add to ``updatedAtSeconds``, 0 to 999,999; 0 if they are unknown.
  package var updatedAtMicroseconds: Int32 = 0

  /// Whether the thread is archived.
  public var isArchived: Bool { archivedAtSeconds != nil }
}

extension ChappieThreadSummary {
  /// Creates a summary, for a store of your own.
  public init(
    id: String, title: String = "", createdAt: ChappieTime, updatedAt: ChappieTime, archivedAt: ChappieTime? = nil,
    turnCount: Int = 0, bytes: Int64 = 0, changeNumber: Int64 = 0
  ) {
    self.init(
      id: id, title: title, createdAtSeconds: createdAt.unixSeconds, updatedAtSeconds: updatedAt.unixSeconds,
      archivedAtSeconds: archivedAt?.unixSeconds, turnCount: turnCount, bytes: bytes, changeNumber: changeNumber,
      createdAtMicroseconds: createdAt.microseconds, updatedAtMicroseconds: updatedAt.microseconds)
  }
}

/// A part of a thread that cannot be read.
public struct ChappieThreadDamage: Sendable, Hashable {
  /// The number of the turn in its thread, from 1 on; 0 means the title.
  public let offset: Int64
  /// The reason, for a person.
  public let reason: String

  /// Creates the note of a damage, for a store of your own.
  public init(offset: Int64, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}

/// A message of the user and all events that followed from it.
public struct ChappieTurn: Sendable, Hashable, Identifiable {
  /// Opaque and unique.
  public let id: String
  /// The time of recording, to the microsecond if that is known.
  public var recordedAt: ChappieTime {
    get { ChappieTime(unixSeconds: recordedAtSeconds, microseconds: recordedAtMicroseconds) }
    set { (recordedAtSeconds, recordedAtMicroseconds) = (newValue.unixSeconds, newValue.microseconds) }
  }
  /// Unix seconds in UTC.
  package var recordedAtSeconds: Int64
  /// The microseconds to add to ``recordedAtSeconds``, 0 to 999,999; 0 if they are unknown.
  package var recordedAtMicroseconds: Int32 = 0
  /// The events, the oldest first.
  public var events: [ChappieTurnEvent]
}

extension ChappieTurn {
  /// Creates a turn.
  public init(id: String, recordedAt: ChappieTime, events: [ChappieTurnEvent]) {
    self.init(
      id: id, recordedAtSeconds: recordedAt.unixSeconds, recordedAtMicroseconds: recordedAt.microseconds,
      events: events)
  }
}

extension ChappieThread {
  /// Removes the last turn, as ``ChappieThreadStore/undoTurn(of:asking:)`` has to, for a store of your own. This lowers
  /// the turn count of ``summary``; its size, time and change number are the store's to set.
  ///
  /// - Parameter text: the text of the message that the turn must have; nil for any.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` if the last turn cannot be removed.
  public mutating func removeLastTurn(asking text: String?) throws(ChappieClientError) {
    guard let last = turns.last else { throw .noTurn }
    try last.checkRemoval(asking: text)
    turns.removeLast()
    summary.turnCount = max(0, summary.turnCount - 1)
  }
}

extension ChappieTurn {
  /// Checks that this turn can be removed: it has a message, and is no summary alone.
  ///
  /// - Parameter text: the text that the message must have; nil for any.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)``.
  func checkRemoval(asking text: String?) throws(ChappieClientError) {
    let asked = events.compactMap { if case .input(let message) = $0 { message.text } else { nil } }
    guard !asked.isEmpty else { throw .noTurn }
    guard text.map(asked.contains) ?? true else {
      throw .invalidArgument(en("The last message of the thread is another one: open the thread again."))
    }
  }

  /// Makes a turn with a new id and the current time.
  init(recording events: [ChappieTurnEvent]) {
    let now = UnixTime.nowWithMicroseconds
    self.init(
      id: UniqueID.make(), recordedAtSeconds: now.seconds, recordedAtMicroseconds: now.microseconds, events: events)
  }
}

/// Makes the title of a thread from its first message.
enum ThreadTitle {
  /// The longest title, in characters.
  static let limit = 60
  /// The longest title in bytes, the same as the service's limit: a character may have any number of combining marks.
  static let byteLimit = 1024

  /// The text on one line without control characters. A text that is too long is cut after a word.
  static func make(of text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).map(printable).filter { !$0.isEmpty }.joined(separator: " ")
    guard line.count > limit || line.utf8.count > byteLimit else { return line }
    var head = String(line.prefix(limit))
    while head.utf8.count > byteLimit - ellipsis.utf8.count { head.unicodeScalars.removeLast() }
    return (head.lastIndex(of: " ").map { head[..<$0] } ?? head.dropLast()) + ellipsis
  }

  private static let ellipsis = "…"

  private static func printable(_ word: Substring) -> String {
    String(word.unicodeScalars.filter { $0.properties.generalCategory != .control })
  }
}
