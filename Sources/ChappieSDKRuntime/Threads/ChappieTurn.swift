import ChappieSDK
import GLibBridge

/// A message of the user and all events that followed from it.
public struct ChappieTurn: Sendable, Hashable, Identifiable {
  /// Opaque and unique.
  public let id: String
  /// The time of recording, in Unix seconds.
  public var recordedAt: Int64
  /// The microseconds to add to ``recordedAt``, 0 to 999,999; 0 if they are unknown.
  public var recordedAtMicroseconds: Int32
  /// The events, the oldest first.
  public var events: [ChappieTurnEvent]

  public init(id: String, recordedAt: Int64, recordedAtMicroseconds: Int32 = 0, events: [ChappieTurnEvent]) {
    self.id = id
    self.recordedAt = recordedAt
    self.recordedAtMicroseconds = recordedAtMicroseconds
    self.events = events
  }
}

extension ChappieTurn {
  /// Makes a turn with a new id and the current time.
  init(recording events: [ChappieTurnEvent]) {
    let now = UnixTime.nowWithMicroseconds
    self.init(
      id: UniqueID.make(), recordedAt: now.seconds, recordedAtMicroseconds: now.microseconds, events: events)
  }
}
