/// The limits of a turn. A turn that exceeds one fails with ``ChappieClientError/limitExceeded(_:)``.
package enum TurnLimits {
  /// The answer's text in bytes, in all rounds of tool calls. No model writes as much in one answer.
  package static let answerBytes = 4 << 20
  /// The answer's items in bytes of the backend's JSON, in all rounds.
  package static let itemBytes = 8 << 20
  /// The number of the answer's items, in all rounds.
  package static let items = 1024
  /// The bytes that the backend sends for one answer, with everything around the text. The longest answer of a model
  /// takes a tenth of it.
  package static let streamBytes = 256 << 20
  /// The time of one answer, from its first byte to its last.
  package static let streamTime = Duration.seconds(3600)
  /// The number of tool calls of one answer.
  package static let calls = 128
  /// The size of one request in bytes: the conversation with its images, the instructions and the tools.
  package static let requestBytes = 16 << 20
  /// The images of one message in bytes of Base64, which takes a third more than the file.
  package static let imageBytes = 12 << 20
  /// The number of messages, tool calls and tool results of one conversation.
  package static let conversationItems = 16 << 10
}
