// SPDX-License-Identifier: Apache-2.0
import AnswerRendering

extension AnswerFormat {
  /// A terminal with colours that may not open links.
  static func test(_ columns: Int, rows: Int = 24, hasFrames: Bool = true, rewraps: Bool = true) -> AnswerFormat {
    AnswerFormat(
      width: columns, height: rows, hasColors: true, links: .both, hasFrames: hasFrames, drawsClusters: false,
      rewraps: rewraps)
  }
}
