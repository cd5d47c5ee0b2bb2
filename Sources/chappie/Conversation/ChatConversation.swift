import GLibBridge

/// The conversation of one `chappie chat`.
@GLibActor
struct ChatConversation {
  let service: Service
  let client: ObjectPath
  let options: VariantDictionary

  /// - Returns: false when the conversation is to end.
  func take(_ line: String) async throws -> Bool {
    let line = line.trimmed
    guard !line.isEmpty else { return true }
    guard line.hasPrefix("/") else {
      try await Answer(service: service, client: client).print(line, options)
      return true
    }
    let words = line.split(separator: " ", maxSplits: 1)
    let rest = words.count > 1 ? String(words[1]).trimmed : ""
    switch words[0] {
    case "/quit", "/exit": return false
    case "/help": tell(Chat.details)
    case "/model": try await model(rest)
    case "/clear": try await call("ClearContext")
    case "/compact": try await call("CompactContext", .tuple(rest), timeout: nil)
    case "/context": tell(try await ContextSummary(service: service, client: client).line())
    default: tell("There is no \(words[0]): see /help.")
    }
    return true
  }

  private func model(_ slug: String) async throws {
    if !slug.isEmpty { try await call("SelectModel", .tuple(slug)) }
    let model: String = try await service.properties(client, "Client").value("Model") ?? ""
    tell(model)
  }

  private func call(_ member: String, _ arguments: Variant = .tuple([]), timeout: Duration? = .seconds(25)) async throws
  {
    try await service.call(client, "Client", member, arguments, timeout: timeout)
  }

  private func tell(_ text: String) {
    StandardStream.output.write(text + "\n")
  }
}

extension String {
  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }
}
