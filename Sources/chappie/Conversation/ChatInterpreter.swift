import GLibBridge
import Platform

/// Carries out the lines of a chat: messages, and commands that begin with a slash.
@GLibActor
struct ChatInterpreter {
  /// The help of `/help` and of `chappie chat --help`.
  nonisolated static let help = tr(
    """
    Each line is a message of one conversation. It ends with this command, unless it is a thread. The arrow keys edit \
    a line and bring earlier lines back; lines that are pasted together are one message. Ctrl-C cancels an answer or \
    clears a line; Ctrl-D ends the chat.

    /model [SLUG]       changes the model, or shows it
    /compact [SUMMARY]  summarises the conversation; without SUMMARY the model does it
    /clear              forgets the conversation; a thread stays stored, and a new one begins
    /context            shows how long the conversation is
    /help, /quit
    """)

  let conversation: any ChatTarget
  let options: VariantDictionary

  /// Whether `line` is a command. Several lines are always a message: the first may begin with a path.
  static func isCommand(_ line: String) -> Bool {
    line.trimmed.hasPrefix("/") && !line.trimmed.contains(where: \.isNewline)
  }

  /// Prepares for a line while the user types it.
  func prepare() {
    conversation.prepare(options)
  }

  /// Carries out a line.
  ///
  /// - Returns: false if the line ends the chat.
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  func run(_ line: String) async throws -> Bool {
    let isCommand = Self.isCommand(line)
    let line = line.trimmed
    guard !line.isEmpty else { return true }
    guard isCommand else {
      // A refusal is printed like an answer, so the status says nothing more.
      _ = try await conversation.send(Question(text: line), options)
      return true
    }
    let words = line.split(separator: " ", maxSplits: 1)
    let rest = words.count > 1 ? String(words[1]).trimmed : ""
    switch words[0] {
    case "/quit", "/exit": return false
    case "/help": write(Self.help)
    case "/model": try await model(rest)
    case "/clear": try await conversation.clear()
    case "/compact": try await conversation.compact(rest)
    case "/context": write(try await conversation.length())
    default: write(tr("There is no \(words[0]): see /help."))
    }
    return true
  }

  private func model(_ slug: String) async throws {
    if !slug.isEmpty { try await conversation.select(slug) }
    write(try await conversation.model().terminalSafeLine)
  }

  private func write(_ text: String) {
    StandardStream.output.write(text + "\n")
  }
}
