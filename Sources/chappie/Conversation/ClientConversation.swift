import GLibBridge

/// A conversation that ends with this command: that of a client of its own.
@GLibActor
final class ClientConversation: Conversation {
  private let service: Service
  private let client: ObjectPath

  init(_ service: Service, account: String?, model: String?) async throws {
    self.service = service
    client = try await service.openClient(account, model: model)
  }

  func say(_ text: String, _ options: VariantDictionary) async throws -> ExitStatus {
    try await Answer(service: service, client: client).print(text, options)
  }

  func clear() async throws {
    try await service.call(client, "Client", "ClearContext")
  }

  func compact(_ summary: String) async throws {
    try await service.call(client, "Client", "CompactContext", .tuple(summary), timeout: nil)
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
