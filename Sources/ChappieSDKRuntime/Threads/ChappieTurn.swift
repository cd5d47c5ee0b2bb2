import ChappieSDK

/// One question and everything that came of it.
public struct ChappieTurn: Sendable, Hashable, Identifiable {
  /// Opaque, and unlike that of every other turn.
  public let id: String
  /// When it was recorded: Unix seconds in UTC.
  public var recordedAt: Int64
  /// In the order in which they happened.
  public var events: [ChappieTurnEvent]

  public init(id: String, recordedAt: Int64, events: [ChappieTurnEvent]) {
    self.id = id
    self.recordedAt = recordedAt
    self.events = events
  }
}
