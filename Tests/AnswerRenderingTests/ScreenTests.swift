import AnswerRendering
import Foundation
import GLibBridge
import TestSupport
import Testing

/// Answers as a terminal shows them, compared with the files in `Screens`.
///
/// With `CHAPPIE_NEW_SCREENS=1` in the environment the files are written anew.
@Suite struct ScreenTests {
  @Test(arguments: AnswerSamples.all.map(\.name), [40, 80, 200])
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
}
