import GLibBridge
import LineEditing

/// `chappie chat`.
struct Chat: Verb {
  static let name = "chat"
  static let summary = "Talk with the model, line by line"
  static let details = """
    Each line is a message of one conversation, which ends with this command. Lines can be edited and called back with \
    the arrow keys. Ctrl-C cancels an answer, Ctrl-D ends.

    /model [SLUG]       asks this model from now on, or tells which one is asked
    /compact [SUMMARY]  puts the conversation in short; without a text the model does it
    /clear              forgets the conversation
    /context            tells how long the conversation is
    /help, /quit
    """

  /// What may be piped in.
  private static let inputLimit = 4 << 20

  let account: String?
  let options: VariantDictionary

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let answering = AnsweringOptions(parser)
    return { arguments in Chat(account: arguments[account], options: answering.dictionary(arguments)) }
  }

  func run(_ service: Service) async throws -> ExitStatus {
    let lines = try Self.lines()
    // The client's own, and no option of each message: /model changes it.
    let client = try await service.openClient(account, model: try options.value("model"))
    var options = options
    options.remove("model")
    let conversation = ChatConversation(service: service, client: client, options: options)
    var status = ExitStatus.success
    for await line in lines {
      do {
        guard try await conversation.take(line) else { break }
        status = .success
      } catch {
        let failure = Failure(error)
        StandardStream.error.write("chappie: \(failure.message)\n")
        status = failure.status
        // Nothing that is typed next can change these.
        if status == .serviceMissing { break }
      }
    }
    // A person has seen what failed; a script is told by the end of its lines.
    return StandardInput.isTerminal && status != .serviceMissing ? .success : status
  }

  /// What is typed, or piped in.
  @GLibActor
  private static func lines() throws -> AsyncStream<String> {
    guard StandardInput.isTerminal else {
      guard let text = StandardInput.readAll(limit: inputLimit) else {
        throw Failure(.usage, "Standard input is longer than \(inputLimit >> 20) MiB: send less.")
      }
      return AsyncStream { lines in
        for line in text.split(whereSeparator: \.isNewline) { lines.yield(String(line)) }
        lines.finish()
      }
    }
    let editor = LineEditor(prompt: "› ")
    return AsyncStream { await editor.next() }
  }
}
