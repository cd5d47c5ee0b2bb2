// SPDX-License-Identifier: Apache-2.0

/// How a piece of text looks.
struct TextStyle: Hashable {
  /// A colour of the terminal's palette, which its user has chosen.
  enum Color: Int {
    case red = 31
    case green = 32
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
  private(set) var runs: [StyledRun]
  /// The width in columns. Only a line of code may be wider than the terminal, which then wraps it itself.
  private(set) var columns = 0

  init() {
    runs = []
  }

  init(_ runs: [StyledRun], _ format: AnswerFormat) {
    self.runs = []
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
