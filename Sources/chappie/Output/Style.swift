import GLibBridge
import Platform

/// What makes a text stand out where standard output is a terminal that can, and `NO_COLOR` is not set.
struct Style {
  private let isOn =
    StandardStream.output.isTerminal && CurrentProcess.environment("NO_COLOR") == nil
    && CurrentProcess.environment("TERM") != "dumb"

  func bold(_ text: String) -> String { marked(text, 1) }

  func dim(_ text: String) -> String { marked(text, 2) }

  private func marked(_ text: String, _ code: Int) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
