import GLibBridge
import Glibc

/// `chappie ask`.
struct Ask: Verb {
  static let name = "ask"
  static let summary = "Ask, and print the answer as it comes"
  static let details = """
    The question is the text, or standard input, or both: the text first. Ctrl-C cancels it.
    """

  /// What the service takes in one call.
  private static let inputLimit = 4 << 20

  let account: String?
  let text: String
  let options: VariantDictionary
  let continues: Bool
  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let continues = parser.flag("continue", short: "c", "Go on with the conversation of the last --continue")
    let json = parser.flag("json", "Print one JSON object when the answer is complete")
    let model = parser.string("model", short: "m", placeholder: "SLUG", "Ask this model")
    let fast = parser.flag("fast", "Answer sooner, think less")
    let effort = parser.string("effort", placeholder: "LEVEL", "How much to think: minimal, low, medium, high")
    let instructions = parser.string("instructions", placeholder: "TEXT", "What the model should keep to")
    parser.acceptRemaining(placeholder: "TEXT…")
    return { arguments in
      var options = VariantDictionary()
      options.set("model", arguments[model])
      options.set("fast_mode", arguments[fast] ? true : nil)
      options.set("reasoning_effort", arguments[effort])
      options.set("instructions", arguments[instructions])
      options.set("continue", arguments[continues] ? true : nil)
      return Ask(
        account: arguments[account], text: try question(arguments.remaining), options: options,
        continues: arguments[continues], json: arguments[json])
    }
  }

  private static func question(_ words: [String]) throws -> String {
    let text = words.joined(separator: " ")
    guard !StandardInput.isTerminal else {
      guard !text.isEmpty else { throw CommandLineError("There is nothing to ask: give a text, or pipe one in.") }
      return text
    }
    guard let input = StandardInput.readAll(limit: inputLimit) else {
      throw CommandLineError("Standard input is longer than \(inputLimit >> 20) MiB: send less.")
    }
    let parts = [text, input.trimmingTrailingNewlines].filter { !$0.isEmpty }
    guard !parts.isEmpty else {
      throw CommandLineError("There is nothing to ask: the text and standard input are empty.")
    }
    return parts.joined(separator: "\n\n")
  }

  func run(_ service: Service) async throws -> ExitStatus {
    let client = continues ? try await service.sharedClient(account) : try await service.openClient(account)
    let signals = service.signals(client)
    let turn: String = try await service.call(client, "Client", "Stream", .tuple(text, options)).member(0, "turn")
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
    return try await printAnswer(ends)
  }

  @GLibActor
  private func printAnswer(_ events: AsyncStream<AnswerEvent>) async throws -> ExitStatus {
    var endsInNewline = true
    for await event in events {
      switch event {
      case .delta(let text):
        guard !json else { continue }
        StandardStream.output.write(text)
        endsInNewline = text.hasSuffix("\n")
      case .completed(let text, let details):
        StandardStream.output.write(json ? try jsonLine(text, details) : endsInNewline ? "" : "\n")
        return .success
      case .failed(let failure):
        if !json, !endsInNewline { StandardStream.output.write("\n") }
        throw failure
      case .serviceEnded:
        if !json, !endsInNewline { StandardStream.output.write("\n") }
        throw Failure(busName: "org.freedesktop.DBus.Error.NoReply", message: "")
      }
    }
    throw CancellationError()
  }

  private func jsonLine(_ text: String, _ details: VariantDictionary) throws -> String {
    var object = JSONObject()
    object.set("text", text)
    object.set("model", try details.value("model", as: String.self))
    object.set("response_id", try details.value("response_id", as: String.self))
    for key in ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens"] {
      object.set(key, try details.value(key, as: UInt64.self))
    }
    return object.line + "\n"
  }
}

extension String {
  /// This text without the newlines that end a file or the output of `echo`.
  fileprivate var trimmingTrailingNewlines: String {
    String(reversed().drop(while: \.isNewline).reversed())
  }
}

/// What happens to an answer on the bus.
private enum AnswerEvent: Sendable {
  case delta(String)
  case completed(String, VariantDictionary)
  case failed(Failure)
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
            resetsAt: try details.value("resets_at")))
    default:
      return nil
    }
  }
}
