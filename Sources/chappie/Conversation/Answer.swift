import GLibBridge
import Glibc

/// One turn of a client or a thread, printed as it comes. Ctrl-C cancels it.
@GLibActor
struct Answer {
  let service: Service
  let client: ObjectPath
  /// The thread that the turn belongs to; nil for the client's own conversation.
  var thread: String?
  /// Print one JSON object at the end, and nothing before.
  var json = false

  /// - Throws: ``Failure``.
  func print(_ text: String, _ options: VariantDictionary) async throws {
    let signals = service.signals(client)
    let turn: String = try await start(text, options).member(0, "turn")
    let interrupt = Task.onGLib {
      _ = await UnixSignals.first(of: [SIGINT, SIGTERM])
      try await service.call(client, "Client", "Cancel", .tuple(turn))
    }
    defer { interrupt.cancel() }
    // A service that dies sends no last signal.
    let (ends, end) = AsyncStream.makeStream(of: AnswerEvent.self)
    let watch = service.connection.watchName(Service.name) { if $0 == nil { end.yield(.serviceEnded) } }
    let forward = Task.onGLib {
      for await signal in signals {
        if let event = try AnswerEvent(signal, turn: turn) { end.yield(event) }
      }
    }
    defer {
      forward.cancel()
      withExtendedLifetime(watch) {}
    }
    try await print(ends)
  }

  private func start(_ text: String, _ options: VariantDictionary) async throws -> Variant {
    guard let thread else { return try await service.call(client, "Client", "Stream", .tuple(text, options)) }
    return try await KeptThreads(service, at: client).call("Stream", .tuple(thread, text, options))
  }

  private func print(_ events: AsyncStream<AnswerEvent>) async throws {
    var endsInNewline = true
    for await event in events {
      switch event {
      case .delta(let text):
        guard !json else { continue }
        StandardStream.output.write(data: text)
        endsInNewline = text.hasSuffix("\n")
      case .completed(let text, let details):
        StandardStream.output.write(json ? try jsonLine(text, details) : endsInNewline ? "" : "\n")
        return
      case .failed(let failure, let name, let details):
        if !json, !endsInNewline { StandardStream.output.write("\n") }
        // An answer that is all there, and could not be stored.
        if json, let text: String = try details.value("partial_text"), details["response_id"] != nil {
          StandardStream.output.write(try jsonLine(text, details, error: name, message: failure.message))
        }
        throw failure
      case .serviceEnded:
        if !json, !endsInNewline { StandardStream.output.write("\n") }
        throw Failure(busName: "org.freedesktop.DBus.Error.NoReply", message: "")
      }
    }
    throw CancellationError()
  }

  private func jsonLine(
    _ text: String, _ details: VariantDictionary, error: String? = nil, message: String? = nil
  ) throws -> String {
    var object = JSONObject()
    object.set("thread", thread)
    object.set("text", text)
    object.set("model", try details.value("model", as: String.self))
    object.set("response_id", try details.value("response_id", as: String.self))
    for key in ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens"] {
      object.set(key, try details.value(key, as: UInt64.self))
    }
    object.set("error", error)
    object.set("message", message)
    return object.line + "\n"
  }
}

/// What happens to an answer on the bus.
private enum AnswerEvent: Sendable {
  case delta(String)
  case completed(String, VariantDictionary)
  /// With the name of the error and its details.
  case failed(Failure, String, VariantDictionary)
  case serviceEnded

  /// Nil for a signal that is not about `turn`.
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
      self = .failed(
        name == "org.chappie.Error.Cancelled"
          ? Failure(.interrupted, "Cancelled.")
          : Failure(
            busName: name, message: try signal.arguments.member(2, "message"),
            resetsAt: try details.value("resets_at")), name, details)
    default:
      return nil
    }
  }
}
