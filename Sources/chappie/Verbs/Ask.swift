import GLibBridge

/// `chappie ask`: asks the model once.
struct Ask: Verb {
  static let name = "ask"
  static let summary = "Ask, and print the answer as it comes"
  static let details = """
    A - in the text, or as the image, stands for standard input. Without a text, standard input is the text if it is no \
    terminal. Ctrl-C cancels the question.
    """

  private enum Place {
    /// None.
    case nowhere
    /// The conversation of the earlier `ask --continue`.
    case continued
    case thread(String)
  }

  let account: String?
  let question: Question
  let options: VariantDictionary
  /// The conversation that the question and the answer become a part of.
  private let place: Place
  let json: Bool
  private let raw: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let continues = parser.flag("continue", short: "c", "Continue the conversation of the last --continue")
    let thread = parser.thread()
    let json = parser.flag("json", "Print one JSON object when the answer is complete")
    let raw = parser.raw()
    let answering = MessageOptions(parser)
    let images = parser.string(
      "image", placeholder: "FILE", "Send this image: a file, - or an https: address; may be repeated")
    parser.acceptRemaining(placeholder: "TEXT…")
    return { arguments in
      guard arguments[thread] == nil || !arguments[continues] else {
        throw CommandLineError("--thread and --continue exclude each other.")
      }
      var options = answering.dictionary(arguments)
      let input = try AskInput(words: arguments.remaining, images: arguments.all(images))
      options.set("continue", arguments[continues] ? true : nil)
      return Ask(
        account: arguments[account], question: input.question, options: options,
        place: arguments[thread].map { .thread($0) } ?? (arguments[continues] ? .continued : .nowhere),
        json: arguments[json], raw: arguments[raw])
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    switch place {
    case .nowhere:
      return try await TurnPrinter(service: service, client: service.openClient(account), json: json, raw: raw).print(
        question, options)
    case .continued:
      return try await TurnPrinter(service: service, client: service.sharedClient(account), json: json, raw: raw).print(
        question, options)
    case .thread(let name):
      return try await ThreadConversation(service, account: account, thread: name, json: json, raw: raw).send(
        question, options)
    }
  }
}
