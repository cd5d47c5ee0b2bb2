// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Glibc
import LineEditing
import Platform

extension Verb {
  /// `chappie chat`: a conversation, line by line.
  static let chat = Verb(
    "chat", tr("Talk with the model, line by line"), details: ChatInterpreter.help, account, thread, raw, message
  ) { account, thread, raw, message in
    var options = message
    let model: String? = try options.value("model")
    // The conversation keeps the model: /model changes it.
    options.remove("model")
    return Work.exiting { [options] service in
      let lines = StandardInput.isTerminal ? nil : try Self.lines()
      let output = AnswerOutput(raw: raw)
      let target: ClientConversation =
        if let thread {
          try await ThreadConversation(service, account: account, thread: thread, model: model, output: output)
        } else {
          ClientConversation(service, try await service.openClient(account, model: model), output)
        }
      let chat = ChatInterpreter(conversation: target, options: options)
      if let lines { return await run(lines, in: chat) }
      await greet(service, account, target)
      if let target = target as? ThreadConversation { try await target.remind(raw: raw) }
      return try await ChatTerminal(chat).run()
    }
  }

  /// The most that may be piped in, in bytes.
  private static let inputLimit = 4 << 20

  /// The lines of standard input.
  private static func lines() throws -> [String] {
    guard let bytes = try AskInput.readAll(limit: inputLimit) else {
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
        // No later line can succeed without the service, and none is wanted after Ctrl-C.
        if [.serviceMissing, .interrupted].contains(status) { break }
      }
    }
    return status
  }

  /// Tells a person who talks with which model. The chat goes on without that.
  @GLibActor
  private static func greet(_ service: ServiceConnection, _ account: String?, _ target: ClientConversation) async {
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

/// A chat at a terminal, with line editing and signals.
@GLibActor
final class ChatTerminal {
  private enum State {
    case prompt
    /// A line is being carried out. An answer handles the first Ctrl-C itself; a command of the chat does not.
    case working(Task<Bool, any Error>, isAnswer: Bool)
    /// A signal asked the process to end.
    case ending
  }

  private let conversation: ChatInterpreter
  private let editor: LineEditor
  private var state = State.prompt

  /// - Throws: ``CommandFailure``.
  init(_ conversation: ChatInterpreter) throws {
    self.conversation = conversation
    let prompt = StandardStream.output.has("›") ? "› " : "> "
    guard let editor = LineEditor(prompt: prompt) else {
      throw CommandFailure(.failed, tr("There is no memory for a line editor."))
    }
    self.editor = editor
  }

  /// Reads and carries out lines until the user ends the chat.
  func run() async throws -> ExitStatus {
    let interrupts = UnixSignalWatch(SIGINT) { [weak self] in self?.interrupt() }
    let ends = [SIGTERM, SIGHUP].map { signal in UnixSignalWatch(signal) { [weak self] in self?.end() } }
    let resizes = UnixSignalWatch(SIGWINCH) { [weak self] in self?.editor.resize() }
    editor.complete(ChatInterpreter.completions())
    let completion = Task.onGLib { [editor, conversation] in
      editor.complete(ChatInterpreter.completions(await conversation.models()))
    }
    defer {
      completion.cancel()
      withExtendedLifetime((interrupts, ends, resizes)) {}
    }
    var mayLeave = false
    while true {
      conversation.prepare()
      let entry = await editor.next()
      if case .ending = state { return .interrupted }
      switch entry {
      case .end:
        StandardStream.output.write("\n")
        return .success
      case .interrupt(wasEmpty: true) where mayLeave: return .interrupted
      case .interrupt(let wasEmpty):
        mayLeave = wasEmpty
        if wasEmpty { StandardStream.error.write(tr("Ctrl-D ends the chat, and so does another Ctrl-C.") + "\n") }
      case .line(let line):
        mayLeave = false
        if let status = await run(line) { return status }
      }
    }
  }

  /// Carries out a line.
  ///
  /// - Returns: the exit status; nil if the chat continues.
  private func run(_ line: String) async -> ExitStatus? {
    let work = Task.onGLib { [conversation] in try await conversation.run(line) }
    state = .working(work, isAnswer: ChatInterpreter.isAnswered(line))
    var goesOn = true
    do {
      goesOn = try await work.value
    } catch {
      let failure = CommandFailure(error)
      CommandFailure.report(failure.message)
      // No later line can succeed without the service. After any other failure the chat continues.
      if failure.status == .serviceMissing { return .serviceMissing }
    }
    if case .ending = state { return .interrupted }
    state = .prompt
    return goesOn ? nil : .success
  }

  private func interrupt() {
    switch state {
    case .prompt: editor.interrupt()
    case .working(let work, isAnswer: true): state = .working(work, isAnswer: false)
    // A second Ctrl-C ends the wait, even if the service does not react.
    case .working(let work, isAnswer: false): work.cancel()
    case .ending: break
    }
  }

  /// Ends the chat after a signal.
  private func end() {
    if case .working(let work, _) = state { work.cancel() }
    state = .ending
    editor.end()
  }
}
