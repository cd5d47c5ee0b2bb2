// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A conversation of `chappie chat`: that of a client that this command opened, and that ends with it.
@GLibActor
class ClientConversation {
  final let service: ServiceConnection
  /// The object that answers.
  final let object: ObjectPath
  final let output: AnswerOutput
  /// A turn that is opened before there is a question, so that the service prepares it while the user types.
  private var opening: Task<OpenedTurn, any Error>?

  init(_ service: ServiceConnection, _ object: ObjectPath, _ output: AnswerOutput) {
    self.service = service
    self.object = object
    self.output = output
  }

  /// Opens a turn for the next message, so that its answer comes sooner.
  func prepare(_ options: VariantDictionary) {
    open(by: TurnPrinter(service: service, client: object, output: output), options)
  }

  /// Opens a turn, in place of one that was not used.
  final func open(by printer: TurnPrinter, _ options: VariantDictionary) {
    opening?.cancel()
    opening = Task.onGLib { try await printer.open(options) }
  }

  /// The opened turn, once; nil if it could not be opened, or if the service has ended it: it waits ten minutes for a
  /// question.
  final func takeTurn() async -> OpenedTurn? {
    guard let opening else { return nil }
    self.opening = nil
    let turn = await withTaskCancellationHandler {
      try? await opening.value
    } onCancel: {
      opening.cancel()
    }
    return turn?.isOpen == true ? turn : nil
  }

  /// Sends a message, and prints the answer as it comes.
  ///
  /// - Parameter answer: gets the text of the answer.
  /// - Returns: ``ExitStatus/success``, or ``ExitStatus/declined`` if the model refused to answer.
  /// - Throws: ``CommandFailure``.
  func send(_ question: Question, _ options: VariantDictionary, _ answer: KeptAnswer?) async throws -> ExitStatus {
    let printer = TurnPrinter(service: service, client: object, output: output, kept: answer)
    return try await printer.print(question, options, on: await takeTurn())
  }

  /// Starts over with an empty conversation.
  ///
  /// - Returns: a sentence that says what became of the old one.
  func clear() async throws -> String {
    try await service.call(object, "Client", "ClearContext")
    return tr("The conversation is forgotten.")
  }

  /// Replaces the messages by `summary`. If it is empty, the model writes the summary.
  func compact(_ summary: String) async throws {
    try await service.call(object, "Client", "CompactContext", .tuple(summary), timeout: nil)
  }

  /// Removes the last question, and its answer if it has one.
  func undo(_ last: ChatHistory.Exchange) async throws {
    // A failed turn left nothing in the conversation.
    if last.answer.isComplete { try await service.call(object, "Client", "UndoTurn") }
  }

  /// The conversation as a Markdown document.
  ///
  /// - Parameter history: the part of it that this command has seen.
  func markdown(_ history: ChatHistory) async throws -> String {
    try history.markdown()
  }

  /// The length of the conversation, in one line.
  func length() async throws -> String {
    try await Conversation(service, object).length()
  }

  /// Selects the model of the following messages.
  func select(_ model: String) async throws {
    try await service.call(object, "Client", "SelectModel", .tuple(model))
  }

  /// The slug of the model.
  func model() async throws -> String {
    try await service.properties(object, "Client").value("Model") ?? ""
  }
}

/// The conversation of a client.
struct Conversation {
  private let values: VariantDictionary

  @GLibActor
  init(_ service: ServiceConnection, _ client: ObjectPath) async throws {
    values = try await service.call(client, "Client", "GetContext").member(0, "context")
  }

  /// Its length, in one line for a person.
  func length() throws -> String {
    let count: UInt32 = try values.value("message_count") ?? 0
    let tokens = LocalizedNumber.text(Int(try values.value("estimated_tokens", as: UInt32.self) ?? 0))
    let model = (try values.value("model") ?? "").terminalSafeLine
    return try values.value("compacted_summary", as: String.self) != nil
      ? tr(
        Int(count), one: "A summary and \(count) message, about \(tokens) tokens, for \(model)",
        other: "A summary and \(count) messages, about \(tokens) tokens, for \(model)")
      : tr(
        Int(count), one: "\(count) message, about \(tokens) tokens, for \(model)",
        other: "\(count) messages, about \(tokens) tokens, for \(model)")
  }

  /// The summary and the messages, each with its role.
  func messages() throws -> String {
    var texts: [(role: String, text: String)] = []
    if let summary: String = try values.value("compacted_summary") { texts.append(("summary", summary)) }
    for message in values["messages"]?.children ?? [] {
      texts.append((try message.member(0, "role"), try message.member(1, "text")))
    }
    return texts.map { "\($0.role.terminalSafeLine): \($0.text)\n" }.joined()
  }

  var json: JSONObject {
    JSONObject(["message_count", "estimated_tokens", "model", "compacted_summary", "updated_at"], of: values)
  }
}
