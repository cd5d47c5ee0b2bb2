// SPDX-License-Identifier: Apache-2.0
import AnswerRendering
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform

/// A thread as text for a terminal.
struct ThreadText {
  private let style = TerminalStyle()
  private let columns = Terminal.columns.map { max(20, $0) }
  /// How answers are laid out; nil shows them as they are.
  private let format: AnswerFormat?

  /// - Parameter raw: whether a terminal gets answers as they are.
  init(raw: Bool) {
    format = raw ? nil : AnswerFormat.ofTerminal
  }

  func text(_ thread: ChappieThread) -> String {
    let parts = [head(thread.summary)] + thread.turns.flatMap { turn($0) } + thread.damage.map(damage)
    return parts.joined(separator: "\n")
  }

  /// The title, and the beginning of the last turn.
  func reminder(_ thread: ChappieThread) -> String {
    let last = thread.turns.suffix(1).flatMap { turn($0, limit: 3) }
    return ([style.bold(ThreadSummary.shown(thread.summary.title)) + "\n"] + last).joined(separator: "\n") + "\n"
  }

  private func head(_ thread: ChappieThreadSummary) -> String {
    let size = ThreadSummary.size(turns: thread.turnCount, bytes: UInt64(clamping: thread.bytes))
    let facts = [thread.id.terminalSafeLine, size] + ThreadSummary.times(thread)
    let title = ThreadSummary.shown(thread.title).lines(within: columns).map(style.bold)
    let line = facts.joined(separator: ", ").lines(within: columns).map(style.dim)
    return (title + line).joined(separator: "\n") + "\n"
  }

  // MARK: A turn

  /// A turn as one paragraph for each of its events.
  ///
  /// - Parameter limit: the most lines of each text; nil for all.
  private func turn(_ turn: ChappieTurn, limit: Int? = nil) -> [String] {
    turn.events.compactMap { paragraph($0, turn, limit) }
  }

  private func paragraph(_ event: ChappieTurnEvent, _ turn: ChappieTurn, _ limit: Int?) -> String? {
    switch event {
    case .input(let message):
      let time = style.dim(", " + Timestamp(clamping: turn.recordedAtSeconds).localText)
      return style.bold(message.role.speaker) + time + "\n" + body(message.text, limit) + images(message.images)
        + message.files.map { line(tr("with the file \($0.name.terminalSafeLine)")) }.joined()
    case .output(let text, let model, _):
      return style.bold(model.terminalSafeLine) + "\n" + answer(text, limit)
    case .citations(let citations):
      return citations.map { line("\($0.title.terminalSafeLine) \($0.url.address.terminalSafeLine)") }.joined()
    case .toolCall(_, let name, let arguments):
      return line(tr("Tool \(name.terminalSafeLine) \(arguments.terminalSafeLine)"))
    case .toolOutput(_, let name, let status, let output):
      return line("\(name.terminalSafeLine) \(status.shown): \(output.terminalSafeLine)")
    case .payload:
      return nil
    case .error(_, let message):
      return style.bold(tr("Failed")) + "\n" + body(message, limit)
    case .compaction(let summary):
      return style.bold(tr("Summary")) + "\n" + body(summary, limit)
    case .other(let json):
      return line(tr("Something that this version cannot show: \(json.json.terminalSafeLine)"))
    }
  }

  private func images(_ images: [ChappieImage]) -> String {
    guard !images.isEmpty else { return "" }
    return "  "
      + style.dim(
        images.count == 1
          ? tr("with an image")
          : tr(images.count, one: "with \(images.count) image", other: "with \(images.count) images")) + "\n"
  }

  private func answer(_ text: String, _ limit: Int?) -> String {
    guard var format, limit == nil else { return body(text, limit) }
    format.width -= 2
    return AnswerStream.text(text, format).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map { $0.isEmpty ? "\n" : "  \($0)\n" }.joined()
  }

  private func body(_ text: String, _ limit: Int?) -> String {
    let lines = text.trimmingEnd(while: \.isWhitespace).terminalSafe.lines(within: columns.map { $0 - 2 })
    let shown = limit.map { lines.count > $0 ? lines.prefix($0) + ["…"] : lines } ?? lines
    return shown.map { $0.isEmpty ? "\n" : "  \($0)\n" }.joined()
  }

  /// A detail, shortened to one line.
  private func line(_ text: String) -> String {
    "  " + style.dim(text.shortened(to: (columns ?? 200) - 2)) + "\n"
  }

  private func damage(_ damage: ChappieThreadDamage) -> String {
    let text = tr("A part cannot be read, turn \(damage.offset): \(damage.reason.terminalSafeLine)")
    return text.lines(within: columns).map { style.bold($0) + "\n" }.joined()
  }
}

extension ChappieInputMessage.Role {
  /// The speaker's name in a heading.
  var speaker: String {
    switch self {
    case .user: tr("You")
    case .assistant: tr("Assistant")
    case .system, .developer: tr("Instructions")
    }
  }
}

extension ChappieToolExecutionResult.Status {
  /// The outcome of a tool call, for display.
  var shown: String {
    switch self {
    case .completed: tr("completed")
    case .failed: tr("failed")
    case .denied: tr("denied")
    case .cancelled: tr("cancelled")
    }
  }
}

/// A thread as a Markdown document.
struct ThreadMarkdown {
  /// The whole document.
  func text(_ thread: ChappieThread) -> String {
    let events = thread.turns.flatMap { turn in turn.events.compactMap { part($0, turn) } }
    return ([head(thread.summary)] + events + thread.damage.map(damage)).joined(separator: "\n\n") + "\n"
  }

  private func head(_ thread: ChappieThreadSummary) -> String {
    let turns = tr(thread.turnCount, one: "\(thread.turnCount) turn", other: "\(thread.turnCount) turns")
    let facts = [turns] + ThreadSummary.times(thread)
    let sentence = tr("Thread \(Markdown.code(thread.id)): \(facts.joined(separator: ", ")).")
    return "# \(Markdown.escaped(ThreadSummary.shown(thread.title)))\n\n\(sentence)"
  }

  private func part(_ event: ChappieTurnEvent, _ turn: ChappieTurn) -> String? {
    switch event {
    case .input(let message):
      let head = "## \(message.role.speaker), \(Timestamp(clamping: turn.recordedAtSeconds).localText)"
      return ([head, Markdown.quote(message.text)] + message.images.map(image) + message.files.map(file)).joined(
        separator: "\n\n")
    case .output(let text, let model, _):
      return "## \(Markdown.escaped(model.terminalSafeLine))\n\n\(Markdown.closed(text))"
    case .citations(let citations):
      return citations.isEmpty ? nil : Markdown.sources(citations.map { ($0.title, $0.url.address) })
    case .toolCall(_, let name, let arguments):
      return "### \(tr("Tool \(Markdown.code(name))"))\n\n\(Markdown.block(arguments, "json"))"
    case .toolOutput(_, let name, let status, let output):
      return "### \(Markdown.code(name)) \(status.shown)\n\n\(Markdown.block(output))"
    case .payload:
      return nil
    case .error(_, let message):
      return "**\(tr("Failed:"))** \(Markdown.escaped(message.terminalSafeLine))"
    case .compaction(let summary):
      return "## \(tr("Summary"))\n\n\(Markdown.quote(summary))"
    case .other(let json):
      return "\(tr("Something that this version cannot show:"))\n\n\(Markdown.block(json.json, "json"))"
    }
  }

  private func image(_ image: ChappieImage) -> String {
    image.url.hasPrefix("https:") ? "![\(tr("An image"))](<\(image.url.terminalSafeLine)>)" : "*\(tr("An image"))*"
  }

  private func file(_ file: ChappieInputFile) -> String {
    "*\(tr("File \(Markdown.escaped(file.name.terminalSafeLine))"))*"
  }

  private func damage(_ damage: ChappieThreadDamage) -> String {
    tr("**A part cannot be read**, turn \(damage.offset): \(Markdown.escaped(damage.reason.terminalSafeLine))")
  }
}
