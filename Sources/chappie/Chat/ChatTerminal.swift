// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import LineEditing
import Platform

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
