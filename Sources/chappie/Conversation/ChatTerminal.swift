import GLibBridge
import Glibc
import LineEditing
import Platform

/// A chat with a person at a terminal.
@GLibActor
final class ChatTerminal {
  private enum State {
    case prompt
    /// An answer is under way, which listens to the first Ctrl-C itself, or one of the commands of a chat.
    case working(Task<Bool, any Error>, isAnswer: Bool)
    /// Somebody wants this process to end.
    case ending
  }

  private let conversation: ChatConversation
  private let editor: LineEditor
  private var state = State.prompt

  /// - Throws: ``CommandFailure``.
  init(_ conversation: ChatConversation) throws {
    self.conversation = conversation
    let prompt = StandardStream.output.has("›") ? "› " : "> "
    guard let editor = LineEditor(prompt: prompt) else {
      throw CommandFailure(.failed, "The system has no room for a line editor.")
    }
    self.editor = editor
  }

  /// Talks until the person leaves.
  func run() async throws -> ExitStatus {
    let interrupts = UnixSignalWatch(SIGINT) { [weak self] in self?.interrupt() }
    let ends = [SIGTERM, SIGHUP].map { signal in UnixSignalWatch(signal) { [weak self] in self?.end() } }
    defer { withExtendedLifetime((interrupts, ends)) {} }
    var mayLeave = false
    while true {
      let entry = await editor.next()
      if case .ending = state { return .interrupted }
      switch entry {
      case .end:
        StandardStream.output.write("\n")
        return .success
      case .interrupt(wasEmpty: true) where mayLeave: return .interrupted
      case .interrupt(let wasEmpty):
        mayLeave = wasEmpty
        if wasEmpty { StandardStream.error.write("Ctrl-D ends the chat, and so does another Ctrl-C.\n") }
      case .line(let line):
        mayLeave = false
        if let status = await take(line) { return status }
      }
    }
  }

  /// - Returns: how the command ends; nil where the chat goes on.
  private func take(_ line: String) async -> ExitStatus? {
    let work = Task.onGLib { [conversation] in try await conversation.take(line) }
    state = .working(work, isAnswer: !ChatConversation.isCommand(line))
    var goesOn = true
    do {
      goesOn = try await work.value
    } catch {
      let failure = CommandFailure(error)
      CommandFailure.tell(failure.message)
      // Nothing that is typed next can change these. Of the others a person has been told.
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
    // Who presses it twice waits no longer, whatever the service does.
    case .working(let work, isAnswer: false): work.cancel()
    case .ending: break
    }
  }

  private func end() {
    if case .working(let work, _) = state { work.cancel() }
    state = .ending
    editor.end()
  }
}
