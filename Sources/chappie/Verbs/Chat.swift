// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// `chappie chat`: a conversation, line by line.
struct Chat: Verb {
  static let name = "chat"
  static let summary = tr("Talk with the model, line by line")
  static let details = ChatInterpreter.help

  /// The most that may be piped in, in bytes.
  private static let inputLimit = 4 << 20

  let account: String?
  let thread: String?
  let options: VariantDictionary
  private let raw: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let thread = parser.thread()
    let raw = parser.raw()
    let answering = MessageOptions(parser)
    return { arguments in
      Chat(
        account: arguments[account], thread: arguments[thread], options: answering.dictionary(arguments),
        raw: arguments[raw])
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let lines = StandardInput.isTerminal ? nil : try Self.lines()
    var options = options
    // The conversation keeps the model: /model changes it.
    options.remove("model")
    let conversation = ChatInterpreter(conversation: try await conversation(service), options: options)
    guard let lines else { return try await ChatTerminal(conversation).run() }
    var status = ExitStatus.success
    for line in lines {
      do {
        guard try await conversation.run(line) else { break }
        status = .success
      } catch {
        let failure = CommandFailure(error)
        CommandFailure.report(failure.message)
        status = failure.status
        // No later line can succeed without the service.
        if status == .serviceMissing { break }
      }
    }
    return status
  }

  @GLibActor
  private func conversation(_ service: ServiceConnection) async throws -> any ChatTarget {
    let model: String? = try options.value("model")
    guard let thread else { return try await ClientConversation(service, account: account, model: model, raw: raw) }
    let conversation = try await ThreadConversation(
      service, account: account, thread: thread, model: model, output: AnswerOutput(raw: raw))
    if StandardInput.isTerminal, let id = conversation.thread { try await remind(id, conversation.threads) }
    return conversation
  }

  /// Shows the last turn of the thread to a person at a terminal.
  @GLibActor
  private func remind(_ id: String, _ threads: ThreadsProxy) async throws {
    do {
      let thread = try await Spinner.show(tr("Reading the thread…")) { try await threads.thread(id) }
      StandardStream.output.write(controlSequences: ThreadText(raw: raw).reminder(thread))
    } catch let error as GLibError where error.name == .limitExceeded {
      // A thread that is too long to show can still be continued.
      CommandFailure.report(CommandFailure(error).message)
    }
  }

  /// The lines of standard input.
  private static func lines() throws -> [String] {
    guard let bytes = StandardInput.readAll(limit: inputLimit) else {
      throw CommandFailure(.usage, tr("Standard input is longer than \(inputLimit >> 20) MiB: send less."))
    }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
  }
}
