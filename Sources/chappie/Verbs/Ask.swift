import GLibBridge

/// `chappie ask`.
struct Ask: Verb {
  static let name = "ask"
  static let summary = "Ask, and print the answer as it comes"
  static let details = """
    The question is the text, or standard input, or both: the text first. Ctrl-C cancels it.
    """

  /// What the service takes in one call.
  private static let inputLimit = 4 << 20

  private enum Place {
    case nowhere
    case continued
    case thread(String)
  }

  let account: String?
  let text: String
  let options: VariantDictionary
  /// Where the question and the answer are kept.
  private let place: Place
  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let continues = parser.flag("continue", short: "c", "Go on with the conversation of the last --continue")
    let thread = parser.thread()
    let json = parser.flag("json", "Print one JSON object when the answer is complete")
    let answering = AnsweringOptions(parser)
    let images = parser.string(
      "image", placeholder: "FILE", "Show this image, a file or an https: address; may be repeated")
    parser.acceptRemaining(placeholder: "TEXT…")
    return { arguments in
      guard arguments[thread] == nil || !arguments[continues] else {
        throw CommandLineError("--thread and --continue exclude each other.")
      }
      var options = answering.dictionary(arguments)
      let shown = arguments.all(images).map(Self.image)
      options.set("images", shown.isEmpty ? nil : shown)
      options.set("continue", arguments[continues] ? true : nil)
      return Ask(
        account: arguments[account], text: try question(arguments.remaining), options: options,
        place: arguments[thread].map { .thread($0) } ?? (arguments[continues] ? .continued : .nowhere),
        json: arguments[json])
    }
  }

  /// An address as it is, a file by its whole path: the service has another working directory.
  private static func image(_ name: String) -> String {
    name.contains(":") && !name.hasPrefix("/") ? name : Files.absolutePath(name)
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
    let parts = [text, input.trimmingEnd(while: \.isNewline)].filter { !$0.isEmpty }
    guard !parts.isEmpty else {
      throw CommandLineError("There is nothing to ask: the text and standard input are empty.")
    }
    return parts.joined(separator: "\n\n")
  }

  func run(_ service: Service) async throws -> ExitStatus {
    switch place {
    case .nowhere:
      try await Answer(service: service, client: service.openClient(account), json: json).print(text, options)
    case .continued:
      try await Answer(service: service, client: service.sharedClient(account), json: json).print(text, options)
    case .thread(let name):
      try await ThreadConversation(service, account: account, thread: name, json: json).say(text, options)
    }
    return .success
  }
}
