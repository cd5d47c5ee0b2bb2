// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// How a piece of text looks.
struct TextStyle: Hashable {
  /// A colour of the terminal's palette, which its user has chosen.
  enum Color: Int {
    case yellow = 33
    case blue = 34
    case magenta = 35
    case cyan = 36
  }

  struct Attributes: OptionSet, Hashable {
    let rawValue: UInt8

    static let bold = Attributes(rawValue: 1)
    static let dim = Attributes(rawValue: 2)
    static let italic = Attributes(rawValue: 4)
    static let underlined = Attributes(rawValue: 8)
    static let struck = Attributes(rawValue: 16)
  }

  var attributes: Attributes = []
  var color: Color?

  static let plain = TextStyle()
  static let dim = TextStyle(attributes: .dim)
}

/// A piece of text with one look.
struct StyledRun: Equatable {
  var text: String
  var style = TextStyle.plain
  /// The address that the terminal opens.
  var link: String?
}

/// A line as it appears on the terminal.
struct StyledLine: Equatable {
  private(set) var runs: [StyledRun] = []
  /// The width in columns. Only a line of code may be wider than the terminal, which then wraps it itself.
  private(set) var columns = 0

  init() {}

  init(_ runs: [StyledRun], _ format: AnswerFormat) {
    for run in runs { append(run, format) }
  }

  mutating func append(_ run: StyledRun, _ format: AnswerFormat) {
    append(run, columns: format.columns(of: run.text))
  }

  mutating func append(_ run: StyledRun, columns width: Int) {
    guard !run.text.isEmpty else { return }
    columns += width
    if let last = runs.last, last.style == run.style, last.link == run.link {
      runs[runs.count - 1].text += run.text
    } else {
      runs.append(run)
    }
  }

  mutating func append(_ line: StyledLine) {
    var rest = line.columns
    for run in line.runs {
      append(run, columns: rest)
      rest = 0
    }
  }

  var text: String { runs.map(\.text).joined() }

  /// The number of words. It stays the same when the text is wrapped elsewhere.
  var words: Int { text.split(separator: " ").count }

  /// What has to be added to `other` to get this line; nil if `other` is not its beginning.
  func suffix(after other: StyledLine) -> [StyledRun]? {
    guard runs.count >= other.runs.count else { return nil }
    guard let last = other.runs.last else { return runs }
    let index = other.runs.count - 1
    let own = runs[index]
    guard runs[..<index] == other.runs[..<index], own.style == last.style, own.link == last.link,
      own.text.utf8.starts(with: last.text.utf8)
    else { return nil }
    let rest = String(own.text.unicodeScalars.dropFirst(last.text.unicodeScalars.count))
    // What joins the last character changes how that one is drawn.
    guard own.text.count == last.text.count + rest.count else { return nil }
    return [StyledRun(text: rest, style: own.style, link: own.link)].filter { !$0.text.isEmpty } + runs[(index + 1)...]
  }
}

/// Puts text into lines of a width, with breaks between words.
struct LineWrapper {
  private let width: Int
  private let format: AnswerFormat
  private var lines: [StyledLine] = []
  private var line = StyledLine()
  private var space: StyledRun?
  private var word = StyledLine()
  private var previous: Character?

  private init(width: Int, _ format: AnswerFormat) {
    self.width = max(1, width)
    self.format = format
  }

  /// The lines of a text, at least one. A line feed in it ends a line.
  ///
  /// - Parameter width: in columns; less than one counts as one.
  static func lines(_ runs: [StyledRun], width: Int, _ format: AnswerFormat) -> [StyledLine] {
    var wrapper = LineWrapper(width: width, format)
    for run in runs { wrapper.add(run) }
    wrapper.endWord()
    return wrapper.line.runs.isEmpty && !wrapper.lines.isEmpty ? wrapper.lines : wrapper.lines + [wrapper.line]
  }

  private mutating func add(_ run: StyledRun) {
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
}
