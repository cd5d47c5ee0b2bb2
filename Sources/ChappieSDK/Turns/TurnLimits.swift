/// What one turn may be. One that is more ends with ``ChappieClientError/limitExceeded(_:)``.
package enum TurnLimits {
  /// Bytes of the answer's text, over all rounds of tool calls. No model writes as much in one answer.
  package static let answerBytes = 4 << 20
  /// Bytes of the items that the answer consists of, as the backend sends them, over all rounds.
  package static let itemBytes = 8 << 20
  /// Items of the answer, over all rounds.
  package static let items = 1024
  /// Bytes that the backend may send for one answer, with everything around its text: ten times what the longest
  /// answer of a model takes.
  package static let streamBytes = 256 << 20
  /// The longest time that one answer may take, from its first byte to its last.
  package static let streamTime = Duration.seconds(3600)
  /// Tool calls of one answer.
  package static let calls = 128
  /// Bytes that are asked in one request: the conversation, its images, instructions and tools.
  package static let requestBytes = 16 << 20
  /// Bytes of the images of one message, as they are sent: a file takes a third more than it has.
  package static let imageBytes = 12 << 20
  /// Messages, tool calls and tool results of one conversation.
  package static let conversationItems = 16 << 10
}
