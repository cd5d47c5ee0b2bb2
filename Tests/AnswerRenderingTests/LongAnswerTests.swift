// SPDX-License-Identifier: Apache-2.0
import AnswerRendering
import TestSupport
import Testing

/// Long answers, and blocks that are higher than the screen.
@Suite struct LongAnswerTests {
  private static let kinds: [(name: String, opening: String, part: String)] = [
    ("a paragraph", "", "some words and *some* more, "),
    ("a line of code", "```sh\n", "echo word; "),
    ("code", "```python\n", "print('a line of code')  # and a comment\n"),
    ("one word", "", "word"),
    ("a list", "", "- an item of a *list*\n"),
    ("items without text", "", "-\n"),
    ("a table", "| a | b |\n|---|---|\n", "| some cell | another |\n"),
    ("a quote", "> ", "quoted words\n> "),
    ("code in a list", "- item\n\n  ```c\n", "  int i = 1;\n"),
    ("paragraphs", "", "Some words.\n\n"),
    ("open brackets", "", "[*`<"),
  ]

  /// The work for a frame has a limit, so that the whole stays linear.
  @Test(arguments: kinds.map(\.name))
  func whatMayStillChangeIsLimited(_ name: String) throws {
    let kind = try #require(Self.kinds.first { $0.name == name })
    let piece = String(repeating: kind.part, count: 4096 / kind.part.utf8.count)
    let format = AnswerFormat.test(80)
    var stream = AnswerStream(format)
    stream.append(kind.opening)
    var written = 0
    for _ in 0..<64 {
      stream.append(piece)
      written += stream.frame(format).utf8.count
      #expect(Self.unsettledBytes(stream) <= 32 << 10)
    }
    written += stream.frame(format, isComplete: true).utf8.count
    // Each piece once with its colours, and at most a screen for each frame.
    #expect(written < 64 * (8 * 4096 + 80 * 24 * 4))
  }

  private static func unsettledBytes(_ stream: AnswerStream) -> Int {
    (Mirror(reflecting: stream).descendant("document", "tail") as? [UInt8])?.count ?? .max
  }

  private static let high: [String] = {
    let words = (1...100).map { "word\($0)" }
    return [
      "**" + words.joined(separator: " ") + "** end",
      "| a | b |\n|---|---|\n" + words.map { "| x | \($0) |\n" }.joined() + "| x | a longer cell than before |\n",
      words.map { "- \($0)\n" }.joined(),
      "```\n" + words.joined(separator: "\n") + "\n```\nend",
    ]
  }()

  /// No word is lost when a block that has grown beyond the top of the screen changes.
  @Test(arguments: high)
  func aBlockThatIsHigherThanTheScreenIsComplete(_ answer: String) throws {
    let format = AnswerFormat.test(40, rows: 10)
    let text = try ReplayedTerminal.showing(frames(answer, by: 1, format), columns: 40, rows: 10).text
    for word in answer.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
      #expect(text.contains(word), "\(text)")
    }
  }

  /// Blocks within blocks would otherwise use up the stack.
  @Test(arguments: [String(repeating: "> ", count: 5000) + "end", String(repeating: "- ", count: 5000) + "end"])
  func deepBlocksAreText(_ answer: String) {
    let format = AnswerFormat.test(80)
    var stream = AnswerStream(format)
    stream.append(answer)
    #expect(stream.frame(format, isComplete: true).contains("end"))
  }

  /// Most terminals wrap the open lines anew when they get another width, and others cut them.
  @Test(arguments: [(true, 6), (false, 3)])
  func openLinesAreDrawnAgainWholeInAnotherWidth(_ rewraps: Bool, _ rowsAbove: Int) {
    let words = (10...39).map { "word\($0)" }
    var stream = AnswerStream(.test(80, rewraps: rewraps))
    stream.append(String(repeating: "Settled.\n\n", count: 4) + words.joined(separator: " "))
    // An empty line and three lines of 76, 76 and 55 columns are open.
    _ = stream.frame(.test(80, rewraps: rewraps))
    stream.append(" end")
    let frame = stream.frame(.test(40, rewraps: rewraps))
    #expect(frame.hasPrefix("\u{1B}[?2026h\r\u{1B}[\(rowsAbove)A\u{1B}[K\u{1B}[B\u{1B}[J\u{1B}[A"), "\(frame)")
    for word in words + ["end"] { #expect(frame.contains(word)) }
    #expect(!frame.contains("Settled"))
    stream.append(" of it")
    #expect(!stream.frame(.test(40, rewraps: rewraps)).contains("\u{1B}"))
  }

  /// A table that is higher than the screen goes on in the columns of its first rows, as long as they fit.
  @Test func aNarrowerTerminalGetsNoWiderTable() {
    var stream = AnswerStream(.test(80, rows: 10))
    stream.append("| a | b |\n|---|---|\n")
    let row = "| \(String(repeating: "x", count: 30)) | \(String(repeating: "y", count: 30)) |\n"
    for _ in 0..<20 {
      stream.append(row)
      _ = stream.frame(.test(80, rows: 10))
    }
    stream.append(row)
    let frame = stream.frame(.test(40, rows: 10))
    for line in frame.split(separator: "\n").dropFirst() { #expect(line.filter { "xy│ ".contains($0) }.count <= 40) }
  }

  // MARK: Answers that come in pieces

  /// The frames of an answer that comes in pieces of some characters.
  private func frames(_ answer: String, by count: Int, _ format: AnswerFormat) -> [String] {
    var stream = AnswerStream(format)
    var frames: [String] = []
    var rest = answer.unicodeScalars[...]
    while !rest.isEmpty {
      stream.append(String(rest.prefix(count)))
      rest = rest.dropFirst(count)
      frames.append(stream.frame(format))
    }
    return frames + [stream.frame(format, isComplete: true)]
  }

  @Test(arguments: AnswerSamples.all.map(\.name), [40, 200])
  func theCutsOfAnAnswerDoNotShow(_ name: String, _ columns: Int) throws {
    let answer = AnswerSamples.text(name)
    // A screen that is higher than any block: what is above its top cannot be changed any more.
    let format = AnswerFormat.test(columns, rows: 60)
    let whole = try ReplayedTerminal.showing([AnswerStream.text(answer, format)], columns: columns, rows: 60)
    for count in [1, 2, 7, 100] {
      let replayed = try ReplayedTerminal.showing(frames(answer, by: count, format), columns: columns, rows: 60)
      #expect(replayed.text == whole.text, "by \(count)")
    }
  }
}
