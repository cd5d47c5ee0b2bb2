// SPDX-License-Identifier: Apache-2.0
import AnswerRendering
import Foundation
import GLibBridge
import TestSupport
import Testing

/// Answers as a terminal shows them, compared with the files in `Screens`.
///
/// With `CHAPPIE_NEW_SCREENS=1` in the environment the files are written anew.
@Suite struct ScreenTests {
  /// The integration tests look at one of 80 columns.
  @Test(arguments: AnswerSamples.all.map { ($0.name, 40) } + [("long", 80), ("table", 200)])
  func anAnswerLooksAsItShould(_ name: String, _ columns: Int) throws {
    let answer = AnswerSamples.text(name)
    let output = AnswerStream.text(answer, AnswerFormat.test(columns))
    let screen = try ReplayedTerminal.showing([output], columns: columns)
    for line in screen.lines { #expect(line.columns <= columns, "\(line)") }
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Screens/\(name)-\(columns).txt")
    if ProcessInfo.processInfo.environment["CHAPPIE_NEW_SCREENS"] != nil {
      try screen.text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try screen.text == String(contentsOf: file, encoding: .utf8))
  }

  @Test func aTerminalWithoutFramesGetsASCII() throws {
    let output = AnswerStream.text(
      AnswerSamples.long + "\n" + AnswerSamples.table, AnswerFormat.test(80, hasFrames: false))
    let letters = AnswerSamples.long + AnswerSamples.table
    #expect(output.unicodeScalars.filter { !$0.isASCII && !letters.unicodeScalars.contains($0) }.isEmpty)
  }

  @Test(arguments: [true, false])
  func onlyATerminalWithColorsGetsThem(_ hasColors: Bool) {
    var format = AnswerFormat.test(80)
    format.hasColors = hasColors
    #expect(AnswerStream.text(AnswerSamples.long, format).contains("\u{1B}[33m") == hasColors)
  }

  @Test func aLinkIsOpenedWhereTheTerminalCan() {
    var format = AnswerFormat.test(80)
    let answer = "[text](http://example.org/ü) and [script](javascript:x\u{1B}y)"
    let link = "\u{1B}]8;;http://example.org/%c3%bc\u{1B}\\\u{1B}[4mtext\u{1B}[m\u{1B}]8;;\u{1B}\\"
    format.links = .hidden
    // Other addresses are shown, and never opened.
    let other = " and \u{1B}[4mscript\u{1B}[m\u{1B}[2m (javascript:x␛y)\u{1B}[m\n"
    #expect(AnswerStream.text(answer, format) == link + other)
    format.links = .both
    #expect(AnswerStream.text(answer, format) == link + "\u{1B}[2m (http://example.org/ü)\u{1B}[m" + other)
    format.links = .written
    #expect(!AnswerStream.text(answer, format).contains("\u{1B}]"))
  }

  @Test(arguments: [false, true])
  func emojiAreMeasuredAsTheyAreDrawn(_ drawsClusters: Bool) {
    var format = AnswerFormat.test(40)
    format.drawsClusters = drawsClusters
    let (family, heart) = ("👨\u{200D}👩\u{200D}👧", "❤\u{FE0F}")
    let count = { (text: String) in
      AnswerStream.text(String(repeating: text, count: 40), format).split(separator: "\n").first?.count
    }
    #expect(count(family) == (drawsClusters ? 20 : 6))
    #expect(count(heart) == (drawsClusters ? 20 : 40))
  }
}

extension AnswerFormat {
  /// A terminal with colours that may not open links.
  static func test(_ columns: Int, rows: Int = 24, hasFrames: Bool = true, rewraps: Bool = true) -> AnswerFormat {
    AnswerFormat(
      width: columns, height: rows, hasColors: true, links: .both, hasFrames: hasFrames, drawsClusters: false,
      rewraps: rewraps)
  }
}
