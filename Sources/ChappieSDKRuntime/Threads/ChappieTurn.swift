import ChappieSDK

/// One question and everything that came of it.
public struct ChappieTurn: Sendable, Hashable, Codable, Identifiable {
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

/// What happened in a turn, whichever transport it went over and however many pieces it came in.
public enum ChappieTurnEvent: Sendable, Hashable {
  /// What was asked.
  case input(ChappieInputMessage)
  /// The whole text of the answer.
  case output(text: String, model: String, responseID: String)
  /// The model called a tool; `arguments` is JSON text.
  case toolCall(callID: String, name: String, arguments: String)
  /// What the tool said.
  case toolOutput(callID: String, name: String, status: ChappieToolExecutionResult.Status, output: String)
  /// An item as the backend sent it, such as the model's sealed thoughts.
  case payload(ChappieJSONValue)
  /// The turn failed; `name` is the error's case, `message` a sentence.
  case error(name: String, message: String)
  /// The conversation before was replaced by this text.
  case compaction(summary: String)
}
