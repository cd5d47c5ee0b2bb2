// SPDX-License-Identifier: Apache-2.0

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
