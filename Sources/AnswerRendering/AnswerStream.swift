// SPDX-License-Identifier: Apache-2.0
import Platform

/// An answer that is shown on a terminal while it comes.
public struct AnswerStream {
  private var document = AnswerDocument()
  private var screen: AnswerScreen

  public init(_ format: AnswerFormat) {
    screen = AnswerScreen(format)
  }

  /// Adds a text to the answer.
  public mutating func append(_ text: String) {
    document.append(text)
  }

  /// What the terminal gets so that it shows the answer as it is now; empty if it does.
  ///
  /// - Parameters:
  ///   - format: that of the terminal now: its size may have changed.
  ///   - status: a line that stands below the answer until the next frame.
  ///   - isComplete: whether the answer has ended. The cursor is then at the start of a line.
  public mutating func frame(_ format: AnswerFormat, status: String? = nil, isComplete: Bool = false) -> String {
    let (settled, open) = document.lines(format, isComplete: isComplete)
    let below = status.map { [StyledLine([StyledRun(text: $0, style: .dim)], format)] } ?? []
    let text = screen.update(settled: settled, open: open + below, format)
    return isComplete ? text + screen.finish() : text
  }

  /// A whole answer, as the terminal shows it.
  public static func text(_ answer: String, _ format: AnswerFormat) -> String {
    var stream = AnswerStream(format)
    stream.append(answer)
    return stream.frame(format, isComplete: true)
  }
}

/// Brings lines to a terminal. Of what it has written it changes only what differs, and nothing above the top of the
/// screen.
struct AnswerScreen {
  private static let begin = "\u{1B}[?2026h"
  private static let end = "\u{1B}[?2026l"

  /// Where the cursor is.
  private enum Cursor {
    case lineStart
    /// Behind the last line that was written.
    case lineEnd
  }

  /// The lines that may change, from the top; the cursor is behind the last one.
  private var shown: [StyledLine] = []
  private var cursor = Cursor.lineStart
  /// The number of words of the open lines that are on the terminal for good.
  private var frozenWords = 0
  /// The rows of the terminal down to the cursor's that this has written. A terminal that wraps its lines anew keeps
  /// the cursor in its row, so no more of them can be reached.
  private var usedRows = 0
  private var format: AnswerFormat

  init(_ format: AnswerFormat) {
    self.format = format
  }

  /// What the terminal gets so that it shows `settled` and, below, `open`, in place of the open lines before.
  ///
  /// - Parameters:
  ///   - settled: lines that do not change any more.
  ///   - open: lines that may.
  ///   - format: the format of both; the terminal may have another size than before.
  mutating func update(settled: [StyledLine], open: [StyledLine], _ format: AnswerFormat) -> String {
    // The terminal has wrapped what it shows anew, or has cut it, when it got another width.
    let isResized = format.width != self.format.width
    let rows = shown.map { Self.rows($0, format.rewraps ? format : self.format) }
    self.format = format
    let all = settled + open
    let skipped = lines(all, within: frozenWords)
    let wanted = Array(all[skipped...])
    let (text, kept) = replacing(rows, by: wanted, isResized: isResized)
    // The words of the settled lines count no more: later lines begin behind them.
    let settledWords = settled.reduce(0) { $0 + $1.words }
    frozenWords = max(0, frozenWords - settledWords)
    shown = Array(wanted[max(kept, min(wanted.count, settled.count - skipped))...])
    return text
  }

  /// What the terminal gets so that the cursor is at the start of a line.
  mutating func finish() -> String {
    defer { self = AnswerScreen(format) }
    return cursor == .lineStart ? "" : "\n"
  }

  /// The number of the first lines that have at most `words` words together.
  private func lines(_ lines: [StyledLine], within words: Int) -> Int {
    guard words > 0 else { return 0 }
    var room = words
    for index in lines.indices {
      room -= lines[index].words
      if room < 0 { return index }
    }
    return lines.count
  }

  // MARK: Writing

  /// - Parameters:
  ///   - rows: how many lines of the terminal each shown line takes.
  ///   - isResized: whether the shown lines may have come to look otherwise, so that all of them are written again.
  /// - Returns: what the terminal gets, and how many of the wanted lines must not change from now on.
  private mutating func replacing(_ rows: [Int], by wanted: [StyledLine], isResized: Bool) -> (String, kept: Int) {
    let same = isResized ? 0 : zip(shown, wanted).prefix { $0 == $1 }.count
    guard same < shown.count || same < wanted.count else { return ("", 0) }
    if same == shown.count {
      use(wanted[same...], inPlaceOf: 0)
      return (append(wanted[same...]), 0)
    }
    if !isResized, same == shown.count - 1, same < wanted.count, let suffix = wanted[same].suffix(after: shown[same]) {
      use(wanted[same...], inPlaceOf: rows[same])
      return (text(suffix) + following(wanted[(same + 1)...]), 0)
    }
    // Where lines go away, the last one that stays is written again, so that the cursor is behind it.
    var first = min(same, max(0, wanted.count - 1))
    var kept = 0
    var source = wanted[first...]
    let reachable = reachable(rows)
    if first < reachable {
      first = reachable
      let words = shown[..<first].reduce(0) { $0 + $1.words }
      kept = max(0, min(lines(wanted, within: words), wanted.count))
      frozenWords += wanted[..<kept].reduce(0) { $0 + $1.words }
      source = wanted[kept...]
    }
    let replaced = rows[first...].reduce(0, +)
    use(source, inPlaceOf: max(1, replaced))
    cursor = .lineStart
    return (Self.begin + Self.clear(replaced) + append(source) + Self.end, kept)
  }

  /// Clears the cursor's row and those above it, `count` together. tmux keeps what is cleared from the top left corner
  /// to the end of the screen in its history, where it would stand a second time; so the first row is cleared alone.
  private static func clear(_ count: Int) -> String {
    count > 1 ? "\r\u{1B}[\(count - 1)A\u{1B}[K\u{1B}[B\u{1B}[J\u{1B}[A" : "\r\u{1B}[K"
  }

  private mutating func use(_ lines: ArraySlice<StyledLine>, inPlaceOf count: Int) {
    usedRows = min(format.height, usedRows - count + lines.reduce(0) { $0 + Self.rows($1, format) })
  }

  /// The index of the first line that is still on the screen in full.
  private func reachable(_ rows: [Int]) -> Int {
    var room = min(format.height, usedRows)
    for index in rows.indices.reversed() {
      room -= rows[index]
      if room < 0 { return index + 1 }
    }
    return 0
  }

  private mutating func append(_ lines: ArraySlice<StyledLine>) -> String {
    guard let first = lines.first else { return "" }
    let start = cursor == .lineStart ? "" : "\n"
    cursor = .lineEnd
    return start + text(first.runs) + following(lines.dropFirst())
  }

  private func following(_ lines: ArraySlice<StyledLine>) -> String {
    lines.map { "\n" + text($0.runs) }.joined()
  }

  private func text(_ runs: [StyledRun]) -> String { runs.map(\.controlSequences).joined() }

  /// The number of lines of the terminal that a line takes.
  private static func rows(_ line: StyledLine, _ format: AnswerFormat) -> Int {
    guard line.columns > format.width else { return 1 }
    var (rows, column) = (1, 0)
    for character in line.text {
      let columns = format.columns(of: character)
      if column + columns > format.width {
        rows += 1
        column = 0
      }
      column += columns
    }
    return rows
  }
}

extension StyledRun {
  /// The text with its style as control sequences.
  fileprivate var controlSequences: String {
    let attributes: [(TextStyle.Attributes, Int)] = [
      (.bold, 1), (.dim, 2), (.italic, 3), (.underlined, 4), (.struck, 9),
    ]
    let codes =
      attributes.filter { style.attributes.contains($0.0) }.map(\.1) + [style.color?.rawValue].compactMap(\.self)
    // No text from elsewhere reaches the terminal on another way.
    var text = text.terminalSafe
    if !codes.isEmpty { text = "\u{1B}[\(codes.map(String.init).joined(separator: ";"))m\(text)\u{1B}[m" }
    guard let link else { return text }
    return "\u{1B}]8;;\(link.terminalSafeCell)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
  }
}
