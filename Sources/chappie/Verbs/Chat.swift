// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

extension Verb {
  /// `chappie chat`: a conversation, line by line.
  static let chat = Verb("chat", tr("Talk with the model, line by line"), details: ChatInterpreter.help) { parser in
    let account = parser.account()
    let thread = parser.thread()
    let raw = parser.raw()
    let message = parser.message()
    return { arguments in
      var options = message(arguments)
      let model: String? = try options.value("model")
      // The conversation keeps the model: /model changes it.
      options.remove("model")
      return Work { [options] service in
        let lines = StandardInput.isTerminal ? nil : try Self.lines()
        let account = arguments[account]
        let target: any ChatTarget =
          if let thread = arguments[thread] {
            try await ThreadConversation(
              service, account: account, thread: thread, model: model, output: AnswerOutput(raw: arguments[raw]))
          } else {
            try await ClientConversation(service, account: account, model: model, raw: arguments[raw])
          }
        let chat = ChatInterpreter(conversation: target, options: options)
        if let lines { return await run(lines, in: chat) }
        await greet(service, account, target)
        if let target = target as? ThreadConversation { try await target.remind(raw: arguments[raw]) }
        return try await ChatTerminal(chat).run()
      }
    }
  }

  /// The most that may be piped in, in bytes.
  private static let inputLimit = 4 << 20

  /// The lines of standard input.
  private static func lines() throws -> [String] {
    guard let bytes = try StandardInput.readAll(limit: inputLimit) else {
      throw CommandFailure(.usage, tr("Standard input is longer than \(inputLimit >> 20) MiB: send less."))
    }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
  }

  @GLibActor
  private static func run(_ lines: [String], in chat: ChatInterpreter) async -> ExitStatus {
    var status = ExitStatus.success
    for line in lines {
      do {
        guard try await chat.run(line) else { break }
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

  /// Tells a person who talks with which model. The chat goes on without that.
  @GLibActor
  private static func greet(_ service: ServiceConnection, _ account: String?, _ target: any ChatTarget) async {
    guard StandardStream.error.isTerminal,
      let status = try? await service.status(try await service.session(account)),
      let model = try? await target.model().terminalSafeLine
    else { return }
    let text =
      status.state == .signedIn
      ? tr("\(status.summary), \(model) answers. /help shows the commands.")
      : tr("\(status.summary). /help shows the commands.")
    let lines = text.lines(within: Terminal.columns).map(TerminalStyle().dim)
    StandardStream.error.write(controlSequences: lines.map { $0 + "\n" }.joined())
  }
}
