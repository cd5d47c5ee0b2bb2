// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform

extension Verb {
  /// `chappie threads search`: finds threads by their titles and texts.
  static let threadSearch = Verb(
    "search", tr("Find threads by words of their titles and texts"),
    details: tr(
      """
      A thread is found if its title, questions and answers have every WORD, in capitals or not. Every title is \
      searched, and the texts of the newest 200 threads, up to 1 MiB each and 32 MiB in all.
      """),
    account, archived, limit, jsonLines, words(tr("WORD…"))
  ) { account, archived, limit, json, words in
    let words = words.flatMap { $0.lowercased().split(whereSeparator: \.isWhitespace).map(String.init) }
    guard !words.isEmpty else { throw CommandLineError(tr("Which words are to be found?")) }
    return Work.onThreads(of: account, json: json) { threads in
      let listed = try await threads.all(archived: archived)
      var search = ThreadSearch(threads: threads, words: words, limit: limit ?? .max)
      try await search.run(listed)
      search.show(json: json)
    }
  }
}

/// A search for threads.
@GLibActor
private struct ThreadSearch {
  private static let mostTexts = 200
  /// In bytes.
  private static let mostOfOne = 1 << 20
  private static let mostOfAll = 32 << 20

  let threads: ThreadsProxy
  /// In lower case.
  let words: [String]
  let limit: Int
  /// The threads that were found, with the line that has the words, unless it is the title.
  var found: [(thread: ThreadSummary, line: String?)] = []
  /// The number of threads whose texts are out of bounds.
  var unread = 0

  /// - Parameter listed: the latest change first.
  mutating func run(_ listed: [ThreadSummary]) async throws {
    let spinner = Spinner(tr("Searching…"), after: .milliseconds(300))
    defer { spinner.stop() }
    var total = 0
    for (index, thread) in listed.enumerated() {
      guard found.count < limit else { return }
      if has(thread.title) {
        found.append((thread, nil))
        continue
      }
      let size = Count(clamping: thread.bytes).value
      guard index < Self.mostTexts, size <= Self.mostOfOne, total + size <= Self.mostOfAll else {
        unread += 1
        continue
      }
      total += size
      let text = try await text(thread)
      if has("\(thread.title)\n\(text)") { found.append((thread, line(of: text))) }
    }
  }

  /// The questions and answers. A thread that cannot be read does not stop the search.
  private func text(_ thread: ThreadSummary) async throws -> String {
    do {
      return try await threads.thread(thread.id).turns.flatMap(\.events).compactMap(\.text).joined(separator: "\n")
    } catch {
      try thread.report(error)
      return ""
    }
  }

  private func has(_ text: String) -> Bool {
    // Bytes: a search by characters takes seconds for a long text.
    let text = Array(text.lowercased().utf8)
    return words.allSatisfy { text.contains(Array($0.utf8)) }
  }

  /// The first line with all words, or else with one of them.
  private func line(of text: String) -> String? {
    let lines = text.split(whereSeparator: \.isNewline).map { String($0).trimmed }
    return lines.first(where: has) ?? lines.first { line in words.contains { line.lowercased().contains($0) } }
  }

  // MARK: The result

  func show(json: Bool) {
    for (thread, line) in found {
      if json {
        var object = thread.json
        object.set("line", line)
        StandardStream.output.line(object.line)
      } else {
        show(thread, line)
      }
    }
    if found.isEmpty, !json { StandardStream.output.line(tr("No thread has these words.")) }
    guard unread > 0 else { return }
    StandardStream.error.line(
      tr(
        unread, one: "\(unread) thread was searched by its title alone: it is too old or too large.",
        other: "\(unread) threads were searched by their titles alone: they are too old or too large."))
  }

  private func show(_ thread: ThreadSummary, _ line: String?) {
    let columns = Terminal.columns.map { max(20, $0) } ?? 100
    let title = ThreadSummary.shown(thread.title)
    let head = "\(ThreadSummary.short(thread.id))  \(thread.updatedAt.localText)  \(title)"
    StandardStream.output.line(head.shortened(to: columns))
    if let line { StandardStream.output.line("  " + part(of: line.terminalSafeLine, columns - 2)) }
  }

  /// The part of a line around its first match.
  private func part(of line: String, _ columns: Int) -> String {
    guard line.columns > columns else { return line }
    let text = line.lowercased()
    let first = words.compactMap { text.firstRange(of: $0)?.lowerBound }.min() ?? text.startIndex
    let skipped = max(0, text.distance(from: text.startIndex, to: first) - columns / 3)
    return ((skipped > 0 ? "…" : "") + line.dropFirst(skipped)).shortened(to: columns)
  }
}

extension ChappieTurnEvent {
  /// What a person has read of it; nil for what is no message.
  fileprivate var text: String? {
    switch self {
    case .input(let message): message.text
    case .output(let text, _, _), .compaction(let text): text
    case .citations, .toolCall, .toolOutput, .payload, .error, .other: nil
    }
  }
}
