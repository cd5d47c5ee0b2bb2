import ChappieSDK
import GLibBridge

/// One question and everything that came of it.
public struct ChappieTurn: Sendable, Hashable, Identifiable {
  /// Opaque, and unlike that of every other turn.
  public let id: String
  /// When it was recorded: Unix seconds in UTC.
  public var recordedAt: Int64
  /// What comes to ``recordedAt`` of the next second: 0 to 999,999; 0 also where it is not known.
  public var recordedAtMicroseconds: Int32
  /// In the order in which they happened.
  public var events: [ChappieTurnEvent]

  public init(id: String, recordedAt: Int64, recordedAtMicroseconds: Int32 = 0, events: [ChappieTurnEvent]) {
    self.id = id
    self.recordedAt = recordedAt
    self.recordedAtMicroseconds = recordedAtMicroseconds
    self.events = events
  }
}

extension ChappieTurn {
  /// A turn that is recorded now.
  init(recording events: [ChappieTurnEvent]) {
    let now = UnixTime.nowWithMicroseconds
    self.init(
      id: UniqueID.make(), recordedAt: now.seconds, recordedAtMicroseconds: now.microseconds, events: events)
  }
}
