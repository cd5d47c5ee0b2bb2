// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

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
  ///
  /// - Returns: a sentence that says what became of the old one.
  func clear() async throws -> String

  /// Replaces the messages by `summary`. If it is empty, the model writes the summary.
  func compact(_ summary: String) async throws

  /// Removes the last question, and its answer if it has one.
  func undo(_ last: ChatHistory.Exchange) async throws

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

/// The conversation of a client that this command opened. It ends with the command.
@GLibActor
final class ClientConversation: ChatTarget {
  private let service: ServiceConnection
  private let client: ObjectPath
  private let prepared = PreparedTurn()
  private let raw: Bool

  /// - Parameter raw: whether answers are printed as they are.
  init(_ service: ServiceConnection, account: String?, model: String?, raw: Bool) async throws {
    self.service = service
    self.raw = raw
    client = try await service.openClient(account, model: model)
  }

  private func printer(_ answer: KeptAnswer? = nil) -> TurnPrinter {
    TurnPrinter(service: service, client: client, output: AnswerOutput(raw: raw), kept: answer)
  }

  func prepare(_ options: VariantDictionary) {
    prepared.open { [printer = printer()] in try await printer.open(options) }
  }

  func send(_ question: Question, _ options: VariantDictionary, _ answer: KeptAnswer?) async throws -> ExitStatus {
    try await printer(answer).print(question, options, on: await prepared.take())
  }

  func clear() async throws -> String {
    try await service.call(client, "Client", "ClearContext")
    return tr("The conversation is forgotten.")
  }

  func compact(_ summary: String) async throws {
    try await service.call(client, "Client", "CompactContext", .tuple(summary), timeout: nil)
  }

  /// A failed turn left nothing in the conversation.
  func undo(_ last: ChatHistory.Exchange) async throws {
    if last.isAnswered { try await service.call(client, "Client", "UndoTurn") }
  }

  func markdown(_ history: ChatHistory) throws -> String {
    try history.markdown()
  }

  func models() async throws -> [String] {
    try await service.models(client)
  }

  func length() async throws -> String {
    try await Conversation(service, client).length()
  }

  func select(_ model: String) async throws {
    try await service.call(client, "Client", "SelectModel", .tuple(model))
  }

  func model() async throws -> String {
    try await service.properties(client, "Client").value("Model") ?? ""
  }
}
