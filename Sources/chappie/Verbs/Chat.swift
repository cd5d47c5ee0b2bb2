import GLibBridge
import Platform

/// `chappie chat`.
struct Chat: Verb {
  static let name = "chat"
  static let summary = "Talk with the model, line by line"
  static let details = ChatConversation.help

  /// What may be piped in.
  private static let inputLimit = 4 << 20

  let account: String?
  let thread: String?
  let options: VariantDictionary

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let thread = parser.thread()
    let answering = AnsweringOptions(parser)
    return { arguments in
      Chat(account: arguments[account], thread: arguments[thread], options: answering.dictionary(arguments))
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let lines = StandardInput.isTerminal ? nil : try Self.lines()
    var options = options
    // The conversation's own, and no option of each message: /model changes it.
    options.remove("model")
    let conversation = ChatConversation(conversation: try await conversation(service), options: options)
    guard let lines else { return try await ChatTerminal(conversation).run() }
    var status = ExitStatus.success
    for line in lines {
      do {
        guard try await conversation.take(line) else { break }
        status = .success
      } catch {
        let failure = CommandFailure(error)
        CommandFailure.tell(failure.message)
        status = failure.status
        // Nothing that comes next can change these.
        if status == .serviceMissing { break }
      }
    }
    return status
  }

  @GLibActor
  private func conversation(_ service: ServiceConnection) async throws -> any ChatTarget {
    let model: String? = try options.value("model")
    guard let thread else { return try await ClientConversation(service, account: account, model: model) }
    let conversation = try await ThreadConversation(service, account: account, thread: thread, model: model)
    if StandardInput.isTerminal, let id = conversation.thread { try await remind(id, conversation.threads) }
    return conversation
  }

  /// Shows a person where the thread ended.
  @GLibActor
  private func remind(_ id: String, _ threads: KeptThreads) async throws {
    do {
      let thread = try await Spinner.show("Reading the thread…") { try await threads.thread(id) }
      StandardStream.output.write(obeyed: ThreadText().reminder(thread))
    } catch let error as GLibError where error.busName == "org.chappie.Error.LimitExceeded" {
      // It can be too long to show, and not too long to go on with.
      CommandFailure.tell(error.message)
    }
  }

  /// What is piped in.
  private static func lines() throws -> [String] {
    guard let bytes = StandardInput.readAll(limit: inputLimit) else {
      throw CommandFailure(.usage, "Standard input is longer than \(inputLimit >> 20) MiB: send less.")
    }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
  }
}
