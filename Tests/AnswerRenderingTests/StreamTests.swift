// SPDX-License-Identifier: Apache-2.0
import AnswerRendering
import TestSupport
import Testing

/// Answers that come in pieces.
@Suite struct StreamTests {
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

  @Test(arguments: AnswerSamples.all.map(\.name))
  func nothingAboveTheLastBlockChanges(_ name: String) throws {
    let answer = AnswerSamples.text(name)
    let format = AnswerFormat.test(80, rows: 24)
    let replayed = try ReplayedTerminal.showing(frames(answer, by: 3, format), columns: 80, watch: true)
    #expect(replayed.above == 0)
  }
}
