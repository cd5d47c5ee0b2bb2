import GLibBridge

/// A conversation of `chappie chat`: that of a client, or a stored thread.
@GLibActor
protocol ChatTarget: AnyObject {
  /// Opens a turn for the next message, so that its answer comes sooner.
  func prepare(_ options: VariantDictionary)

  /// Sends a message, and prints the answer as it comes.
  ///
  /// - Returns: ``ExitStatus/success``, or ``ExitStatus/declined`` if the model refused to answer.
  /// - Throws: ``CommandFailure``.
  func send(_ question: Question, _ options: VariantDictionary) async throws -> ExitStatus

  /// Starts over with an empty conversation.
  func clear() async throws

  /// Replaces the messages by `summary`. If it is empty, the model writes the summary.
  func compact(_ summary: String) async throws

  /// The length of the conversation, in one line.
  func length() async throws -> String

  /// Selects the model of the following messages.
  func select(_ model: String) async throws

  /// The slug of the model.
  func model() async throws -> String
}
