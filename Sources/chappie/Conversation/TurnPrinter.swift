import GLibBridge
import Glibc
import Platform

/// Runs one turn of a client or a thread, and prints the answer as it comes. Ctrl-C cancels the turn.
@GLibActor
struct TurnPrinter {
  let service: ServiceConnection
  /// The object of the client, or of the account that keeps the thread.
  let client: ObjectPath
  /// The id of the thread that the turn belongs to; nil for the client's own conversation.
  var thread: String?
  /// Prints one JSON object at the end, and nothing before.
  var json = false

  /// Sends `text` and prints the answer.
  ///
  /// - Returns: ``ExitStatus/success``, or ``ExitStatus/declined`` if the model refused to answer.
  /// - Throws: ``CommandFailure``.
  func print(_ text: String, _ options: VariantDictionary) async throws -> ExitStatus {
    let signals = service.signals(client)
    let turn: String = try await start(text, options).member(0, "turn")
    let interrupt = Task.onGLib {
      _ = await UnixSignals.first(of: [SIGINT, SIGTERM])
      try await service.call(client, "Client", "Cancel", .tuple(turn))
    }
    defer { interrupt.cancel() }
    // A service that crashes sends no last signal.
    let (ends, end) = AsyncStream.makeStream(of: AnswerEvent.self)
    let watch = service.connection.watchName(ServiceConnection.name) { if $0 == nil { end.yield(.serviceEnded) } }
    let forward = Task.onGLib {
      for await signal in signals {
        if let event = try AnswerEvent(signal, turn: turn) { end.yield(event) }
      }
    }
    defer {
      forward.cancel()
      withExtendedLifetime(watch) {}
    }
    return try await print(ends, model: try options.value("model"))
  }

  private func start(_ text: String, _ options: VariantDictionary) async throws -> Variant {
    guard let thread else { return try await service.call(client, "Client", "Stream", .tuple(text, options)) }
    return try await ThreadsProxy(service, at: client).call("Stream", .tuple(thread, text, options))
  }

  /// - Parameter model: the model of this turn; nil for the client's own.
  private func print(_ events: AsyncStream<AnswerEvent>, model: String?) async throws -> ExitStatus {
    var endsInNewline = true
    for await event in events {
      switch event {
      case .delta(let text):
        guard !json else { continue }
        StandardStream.output.write(data: text)
        endsInNewline = text.hasSuffix("\n")
      case .completed(let text, let details):
        StandardStream.output.write(
          json ? try object(text, details).line + "\n" : endsInNewline ? "" : "\n")
        return try details.value("refusal") == true ? .declined : .success
      case .failed(let failure, let details):
        if !json, !endsInNewline { StandardStream.output.write("\n") }
        let text = try details["response_id"].map { _ in try details.value("partial_text", as: String.self) } ?? nil
        // With a response id the answer is complete and only storing it failed, so the whole answer is printed.
        throw try await refusal(failure, details, model: model).preceded(
          by: try object(text, text == nil ? [:] : details))
      case .serviceEnded:
        if !json, !endsInNewline { StandardStream.output.write("\n") }
        throw CommandFailure(busName: "org.freedesktop.DBus.Error.NoReply", message: "").preceded(
          by: try object(nil, [:]))
      }
    }
    throw CancellationError()
  }

  /// Turns a refusal by the server into ``ExitStatus/noSuchModel`` if the model is not in the list.
  private func refusal(_ failure: CommandFailure, _ details: VariantDictionary, model: String?) async throws
    -> CommandFailure
  {
    let status: UInt32 = try details.value("status") ?? 0
    guard failure.status == .refused, (400..<500).contains(status) else { return failure }
    guard let models = try? await service.call(client, "Client", "ListModels", .tuple(VariantDictionary())),
      let own: String = try? await service.properties(client, "Client").value("Model")
    else { return failure }
    let asked = model ?? own
    let known = try models.member(0, "models", as: [VariantDictionary].self).compactMap {
      try $0.value("slug", as: String.self)
    }
    guard !known.isEmpty, !known.contains(asked) else { return failure }
    return failure.with(.noSuchModel)
  }

  /// The members of the JSON object that describe the answer.
  private func object(_ text: String?, _ details: VariantDictionary) throws -> JSONObject {
    var object = JSONObject()
    object.set("thread", thread)
    object.set("text", text)
    object.set("model", try details.value("model", as: String.self))
    object.set("response_id", try details.value("response_id", as: String.self))
    for key in ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens"] {
      object.set(key, try details.value(key, as: UInt64.self))
    }
    object.set("refusal", try details.value("refusal", as: Bool.self))
    return object
  }
}

/// An event of a turn, as the bus reports it.
private enum AnswerEvent: Sendable {
  case delta(String)
  case completed(String, VariantDictionary)
  case failed(CommandFailure, VariantDictionary)
  case serviceEnded

  /// Nil for a signal of another turn, or of another kind.
  ///
  /// - Throws: `GLibError` for arguments of the wrong type.
  init?(_ signal: BusSignal, turn: String) throws {
    guard signal.interface == "org.chappie.Client", try signal.arguments.member(0, "turn") == turn else { return nil }
    switch signal.member {
    case "TextDelta":
      self = .delta(try signal.arguments.member(2, "text"))
    case "Completed":
      self = .completed(try signal.arguments.member(1, "text"), try signal.arguments.member(2, "details"))
    case "Failed":
      let name: String = try signal.arguments.member(1, "error")
      let details: VariantDictionary = try signal.arguments.member(3, "details")
      let message: String = try signal.arguments.member(2, "message")
      self = .failed(CommandFailure(busName: name, message: message, details: details), details)
    default:
      return nil
    }
  }
}
