import ChappieSDK

/// A stored conversation: what is listed of it, and its turns.
public struct ChappieThread: Sendable, Hashable, Identifiable {
  public var summary: ChappieThreadSummary
  /// In the order in which they happened.
  public var turns: [ChappieTurn]
  /// What could not be read: turns that are damaged or missing. The rest is whole.
  public var damage: [ChappieThreadDamage]

  public var id: String { summary.id }

  public init(summary: ChappieThreadSummary, turns: [ChappieTurn] = [], damage: [ChappieThreadDamage] = []) {
    self.summary = summary
    self.turns = turns
    self.damage = damage
  }
}

/// What is known of a thread without reading it.
public struct ChappieThreadSummary: Sendable, Hashable, Identifiable {
  /// Opaque; 1 to 64 of `a` to `z`, `0` to `9` and `-`.
  public let id: String
  /// Empty until somebody names it; the runtime names it by its first message.
  public var title: String
  /// Unix seconds in UTC.
  public var createdAt: Int64
  /// What comes to ``createdAt`` of the next second: 0 to 999,999; 0 also where it is not known.
  public var createdAtMicroseconds: Int32
  /// When the last turn was recorded, or the thread was renamed or taken back from the archive: Unix seconds in UTC.
  public var updatedAt: Int64
  /// What comes to ``updatedAt`` of the next second: 0 to 999,999; 0 also where it is not known.
  public var updatedAtMicroseconds: Int32
  /// When it was put away: Unix seconds in UTC; nil for an active one.
  public var archivedAt: Int64?
  public var turnCount: Int
  /// What it takes in its store.
  public var bytes: Int64
  /// A store counts its changes, whatever the clock says: of two threads, the one with the larger number changed last.
  /// 0 or more; 0 until a store has given one.
  public var changeNumber: Int64

  public var isArchived: Bool { archivedAt != nil }

  public init(
    id: String, title: String = "", createdAt: Int64, updatedAt: Int64, archivedAt: Int64? = nil, turnCount: Int = 0,
    bytes: Int64 = 0, changeNumber: Int64 = 0, createdAtMicroseconds: Int32 = 0, updatedAtMicroseconds: Int32 = 0
  ) {
    self.id = id
    self.title = title
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.archivedAt = archivedAt
    self.turnCount = turnCount
    self.bytes = bytes
    self.changeNumber = changeNumber
    self.createdAtMicroseconds = createdAtMicroseconds
    self.updatedAtMicroseconds = updatedAtMicroseconds
  }
}

/// A part of a thread that cannot be read.
public struct ChappieThreadDamage: Sendable, Hashable {
  /// Which turn of the thread it is, from 1 on; 0 for the title.
  public let offset: Int64
  public let reason: String

  public init(offset: Int64, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}
