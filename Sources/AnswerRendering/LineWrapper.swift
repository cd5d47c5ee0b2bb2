// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Puts text into lines of a width, with breaks between words.
struct LineWrapper {
  private let width: Int
  private let format: AnswerFormat
  private var lines: [StyledLine] = []
  private var line: StyledLine
  private var space: StyledRun?
  private var word: StyledLine
  private var previous: Character?

  /// - Parameter width: in columns; less than one counts as one.
  init(width: Int, _ format: AnswerFormat) {
    self.width = max(1, width)
    self.format = format
    line = StyledLine()
    word = StyledLine()
  }

  /// Adds a text. A line feed in it ends the line.
  mutating func add(_ run: StyledRun) {
    for character in run.text {
      if character == "\n" {
        endLine()
      } else if character == " " || character == "\t" {
        endWord()
        if line.columns > 0 { space = StyledRun(text: " ", style: run.style, link: run.link) }
      } else {
        if let previous, character.mayBeginLine(after: previous) { endWord() }
        add(character, of: run)
        previous = character
      }
    }
  }

  private mutating func add(_ character: Character, of run: StyledRun) {
    let columns = format.columns(of: character)
    if word.columns + columns > width, word.columns > 0 {
      // A word that is longer than a line continues on the next one.
      endWord()
      endLine(isWordOpen: true)
    }
    word.append(StyledRun(text: String(character), style: run.style, link: run.link), columns: columns)
  }

  private mutating func endWord() {
    defer { previous = nil }
    guard !word.runs.isEmpty else { return }
    let gap = space == nil ? 0 : 1
    if line.columns + gap + word.columns > width, line.columns > 0 {
      lines.append(line)
      line = StyledLine()
    } else if let space {
      line.append(space, columns: 1)
    }
    space = nil
    line.append(word)
    word = StyledLine()
  }

  private mutating func endLine(isWordOpen: Bool = false) {
    if !isWordOpen { endWord() }
    lines.append(line)
    line = StyledLine()
    space = nil
  }

  /// The lines, at least one.
  consuming func finished() -> [StyledLine] {
    endWord()
    return line.runs.isEmpty && !lines.isEmpty ? lines : lines + [line]
  }
}
