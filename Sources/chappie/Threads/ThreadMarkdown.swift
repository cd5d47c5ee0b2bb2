// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform

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
