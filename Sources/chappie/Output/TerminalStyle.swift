import GLibBridge
import Platform

/// Bold and dim text. It is plain if standard output is no terminal, or a dumb one, or if `NO_COLOR` is set.
struct TerminalStyle {
  private let isOn =
    StandardStream.output.isTerminal && CurrentProcess.environment("NO_COLOR") == nil
    && CurrentProcess.environment("TERM") != "dumb"

  func bold(_ text: String) -> String { marked(text, 1) }

  func dim(_ text: String) -> String { marked(text, 2) }

  private func marked(_ text: String, _ code: Int) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
