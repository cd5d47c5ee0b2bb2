// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A conversation of `chappie chat`: that of a client, or a stored thread.
@GLibActor
protocol ChatTarget: AnyObject {
  /// Opens a turn for the next message, so that its answer comes sooner.
  func prepare(_ options: VariantDictionary)

  /// Sends a message, and prints the answer as it comes.
  ///
  /// - Parameter answer: gets the text of the answer.
  /// - Returns: ``ExitStatus/success``, or ``ExitStatus/declined`` if the model refused to answer.
  /// - Throws: ``CommandFailure``.
  func send(_ question: Question, _ options: VariantDictionary, _ answer: KeptAnswer?) async throws -> ExitStatus

  /// Starts over with an empty conversation.
  func clear() async throws

  /// Replaces the messages by `summary`. If it is empty, the model writes the summary.
  func compact(_ summary: String) async throws

  /// Removes the last question, and its answer if it has one.
  ///
  /// - Throws: ``CommandFailure`` if the conversation does not allow that.
  func undo(isAnswered: Bool) async throws

  /// The conversation as a Markdown document.
  ///
  /// - Parameter history: the part of it that this command has seen.
  func markdown(_ history: ChatHistory) async throws -> String

  /// The slugs of the models that can be asked.
  func models() async throws -> [String]

  /// The length of the conversation, in one line.
  func length() async throws -> String

  /// Selects the model of the following messages.
  func select(_ model: String) async throws

  /// The slug of the model.
  func model() async throws -> String
}
