// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Carries out the lines of a chat: messages, and commands that begin with a slash.
@GLibActor
final class ChatInterpreter {
  /// The help of `/help` and of `chappie chat --help`.
  nonisolated static let help = tr(
    """
    Each line is a message of one conversation. It ends with this command, unless it is a thread. The arrow keys edit \
    a line and bring earlier lines back; Alt-Enter begins another line of the same message, and lines that are pasted \
    together are one message. Tab completes commands, models and names of files. Ctrl-C cancels an answer or \
    clears a line; Ctrl-D ends the chat.

    /model [MODEL]      changes the model, or shows it
    /file FILE          adds a text file or a document to the next message
    /image FILE         adds a picture to the next message
    /search [MODE]      turns the search of the web on or off: on, cached (copies of pages) or off
    /tools [SERVERS]    lets the model use these tool servers, or none; see chappie tools
    /copy               copies the last answer, if the terminal supports that
    /save FILE          writes the conversation to a new file, as Markdown
    /undo               removes the last message and its answer
    /retry              asks the last message again
    /compact [SUMMARY]  summarises the conversation; without SUMMARY the model does it
    /clear              forgets the conversation; a thread stays stored, and a new one begins
    /context            shows how long the conversation is
    /help, /quit        shows these commands; ends the chat, as exit and quit do
    """)

  private let conversation: ClientConversation
  private var options: VariantDictionary
  private var history = ChatHistory()

  init(conversation: ClientConversation, options: VariantDictionary) {
    self.conversation = conversation
    self.options = options
  }

  /// Whether `line` is a command. Several lines are always a message: the first may begin with a path.
  private static func isCommand(_ line: String) -> Bool {
    line.trimmed.hasPrefix("/") && !line.trimmed.contains(where: \.isNewline)
  }

  /// Whether `line` ends the chat as it would end most other prompts.
  private static func isEnd(_ line: String) -> Bool {
    ["exit", "quit"].contains(line.trimmed)
  }

  /// Whether the model answers `line`.
  static func isAnswered(_ line: String) -> Bool {
    !isCommand(line) && !isEnd(line) || line.trimmed == "/retry"
  }

  /// The models that can be asked; none if they are not known.
  func models() async -> [String] {
    (try? await conversation.service.models(conversation.object)) ?? []
  }

  /// The lines that Tab can complete.
  static func completions(_ models: [String] = []) -> [String] {
    let names = ["clear", "compact", "context", "copy", "file ", "help", "image ", "model "]
    // A name with a space would be two words.
    let slugs = models.filter { $0 == $0.terminalSafeLine && !$0.contains(" ") }.map { "model \($0)" }
    return (names + slugs + ["quit", "retry", "save ", "search", "tools", "undo"]).map { "/\($0)" }
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
    guard !Self.isEnd(line) else { return false }
    guard isCommand else {
      try await ask(history.question(line))
      return true
    }
    let words = line.split(separator: " ", maxSplits: 1)
    let rest = words.count > 1 ? String(words[1]).trimmed : ""
    switch words[0] {
    case "/quit", "/exit": return false
    case "/help": Help.show(Self.help + "\n")
    case "/model": try await model(rest)
    case "/file": say(tr("\(try history.add(file: try Self.path(rest))) goes with the next message."))
    case "/image": say(tr("\(try history.add(image: try Self.path(rest))) goes with the next message."))
    case "/search": try search(rest)
    case "/tools": tools(rest.serverNames)
    case "/copy": say(tr("The terminal was asked to copy \(try Self.copy(try history.lastAnswer()))."))
    case "/save": try await save(OutputFile(path: try Self.path(rest), replaces: false))
    case "/undo":
      try await conversation.undo(try history.last())
      history.exchanges.removeLast()
      say(tr("The last message is removed, and its answer."))
    case "/retry": try await retry()
    case "/clear":
      say(try await conversation.clear())
      history = ChatHistory()
    case "/compact":
      try await conversation.compact(rest)
      say(tr("The model reads a summary from now on."))
    case "/context": StandardStream.output.line(try await conversation.length())
    default:
      let commands = Self.completions().map(\.trimmed)
      throw CommandFailure(
        .usage,
        tr("There is no \(words[0]): see /help.") + Spelling.suggestion(for: String(words[0]), among: commands))
    }
    return true
  }

  /// Asks, and keeps the answer, even a part of it.
  private func ask(_ question: Question) async throws {
    let answer = KeptAnswer()
    defer { history.exchanges.append((question, answer)) }
    // A refusal is printed like an answer, so the status says nothing more.
    _ = try await conversation.send(question, options, answer)
  }

  /// - Parameter word: `on`, `cached` or `off`; empty to change it.
  private func search(_ word: String) throws {
    let mode: String? =
      switch word {
      case "": options["web_search"] == nil ? "live" : nil
      case "on": "live"
      case "cached": "cached"
      case "off": nil
      default: throw CommandFailure(.usage, tr("Say /search on, /search cached or /search off."))
      }
    options.remove("web_search")
    options.set("web_search", mode)
    switch mode {
    case nil: say(tr("The model no longer searches the web."))
    case "cached": say(tr("The model may search the copies of pages that the backend has."))
    default: say(tr("The model may search the web, which carries words of your messages out."))
    }
  }

  private func tools(_ servers: [String]) {
    options.remove("tools")
    options.set("tools", servers.isEmpty ? nil : servers)
    let names = servers.joined(separator: ", ")
    say(servers.isEmpty ? tr("The model uses no tool servers.") : tr("The model may use the tools of \(names)."))
  }

  private func retry() async throws {
    let last = try history.last()
    try await conversation.undo(last)
    history.exchanges.removeLast()
    say(tr("The last message is asked again."))
    try await ask(last.question)
  }

  private func save(_ file: OutputFile) async throws {
    try file.check()
    // It is new, and a named pipe would hold the chat.
    guard FileKind(file.path) == .nothing else { throw file.isNoFile }
    try file.write(try await conversation.markdown(history))
    say(tr("The conversation is in \(file.path)."))
  }

  private func model(_ slug: String) async throws {
    guard !slug.isEmpty else {
      return StandardStream.output.line(try await conversation.model().terminalSafeLine)
    }
    try await conversation.select(slug)
    // A model that the backend hides can be used: only the next turn tells. No list says nothing about the model.
    let known = await models()
    guard known.isEmpty || known.contains(slug) else {
      let name = slug.terminalSafeLine
      let offered = known.joined(separator: ", ").terminalSafeLine
      return say(tr("“\(name)” is not in the list of models: \(offered). The next message shows whether it answers."))
    }
    // The service may know it by another name.
    say(tr("\(try await conversation.model().terminalSafeLine) answers from now on."))
  }

  /// The path of a file as it was typed: Tab writes a backslash before a space.
  private static func path(_ typed: String) throws -> String {
    guard !typed.isEmpty else { throw CommandFailure(.usage, tr("Name a file after the command.")) }
    let path = typed.replacing(/\\(.?)/) { $0.1 }
    return path.hasPrefix("~/") ? Directories.home + path.dropFirst() : path
  }

  /// Says what a command did. A program that reads the answers gets nothing of it.
  private func say(_ text: String) {
    StandardStream.error.line(text.terminalSafeLine)
  }
}

extension ChatInterpreter {
  /// Terminals ignore much longer texts for the clipboard.
  private static let clipboardLimit = 74_994

  /// Asks the terminal, wherever it is, by OSC 52 to put `text` on the clipboard. No terminal tells whether it did.
  ///
  /// - Returns: the size, for a person.
  /// - Throws: ``CommandFailure`` if there is no terminal, or if the text is too long for one.
  private static func copy(_ text: String) throws(CommandFailure) -> String {
    guard StandardStream.output.isTerminal else {
      throw CommandFailure(.failed, tr("Standard output is no terminal, so nothing can be copied: use /save."))
    }
    let encoded = Base64.encode(Array(text.utf8))
    guard encoded.utf8.count <= clipboardLimit else {
      throw CommandFailure(.failed, tr("The answer is too long for terminals to copy: use /save."))
    }
    StandardStream.output.write(controlSequences: "\u{1B}]52;c;\(encoded)\u{1B}\\")
    return ByteCount(bytes: UInt64(text.utf8.count)).text
  }
}
