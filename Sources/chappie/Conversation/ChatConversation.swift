import GLibBridge
import Platform

/// The lines of one `chappie chat`.
@GLibActor
struct ChatConversation {
  /// What can be typed.
  nonisolated static let help = """
    Each line is a message of one conversation, which ends with this command unless it is a thread. Lines can be edited \
    and called back with the arrow keys; lines that are pasted together are one message. Ctrl-C cancels an answer, and \
    clears a line; Ctrl-D ends.

    /model [SLUG]       asks this model from now on, or tells which one is asked
    /compact [SUMMARY]  puts the conversation in short; without a text the model does it
    /clear              forgets the conversation; of a thread, which stays: begins another one
    /context            tells how long the conversation is
    /help, /quit
    """

  let conversation: any ChatTarget
  let options: VariantDictionary

  /// Whether `line` is a command and no message. Of several lines, one may begin with a path.
  static func isCommand(_ line: String) -> Bool {
    line.trimmed.hasPrefix("/") && !line.trimmed.contains(where: \.isNewline)
  }

  /// - Returns: false when the conversation is to end.
  func take(_ line: String) async throws -> Bool {
    let isCommand = Self.isCommand(line)
    let line = line.trimmed
    guard !line.isEmpty else { return true }
    guard isCommand else {
      // What it says, also to refuse, is there to read.
      _ = try await conversation.say(line, options)
      return true
    }
    let words = line.split(separator: " ", maxSplits: 1)
    let rest = words.count > 1 ? String(words[1]).trimmed : ""
    switch words[0] {
    case "/quit", "/exit": return false
    case "/help": tell(Self.help)
    case "/model": try await model(rest)
    case "/clear": try await conversation.clear()
    case "/compact": try await conversation.compact(rest)
    case "/context": tell(try await conversation.length())
    default: tell("There is no \(words[0]): see /help.")
    }
    return true
  }

  private func model(_ slug: String) async throws {
    if !slug.isEmpty { try await conversation.select(slug) }
    tell(try await conversation.model().harmlessLine)
  }

  private func tell(_ text: String) {
    StandardStream.output.write(text + "\n")
  }
}
