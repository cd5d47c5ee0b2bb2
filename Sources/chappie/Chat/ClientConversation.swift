// SPDX-License-Identifier: Apache-2.0
import GLibBridge

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

  func clear() async throws {
    try await service.call(client, "Client", "ClearContext")
  }

  func compact(_ summary: String) async throws {
    try await service.call(client, "Client", "CompactContext", .tuple(summary), timeout: nil)
  }

  /// A failed turn left nothing in the conversation.
  func undo(isAnswered: Bool) async throws {
    if isAnswered { try await service.call(client, "Client", "UndoTurn") }
  }

  func markdown(_ history: ChatHistory) throws -> String {
    try history.markdown()
  }

  func models() async throws -> [String] {
    try await service.models(client)
  }

  func length() async throws -> String {
    try await ContextSummary(service: service, client: client).line()
  }

  func select(_ model: String) async throws {
    try await service.call(client, "Client", "SelectModel", .tuple(model))
  }

  func model() async throws -> String {
    try await service.properties(client, "Client").value("Model") ?? ""
  }
}
