import CLineEditor
import GLibBridge
import Glibc
import Platform

/// Lines that a person types at a terminal, with editing and a history, by libedit.
///
/// The history ends with the process: what was typed is written to no file. Lines that are pasted together are one, where
/// the terminal tells what is pasted.
@GLibActor
public final class LineEditor {
  /// What a person did at the prompt.
  public enum Entry: Sendable, Equatable {
    /// Typed a line, or pasted some; without its end.
    case line(String)
    /// Pressed Ctrl-C: the line was thrown away, which had something in it or not.
    case interrupt(wasEmpty: Bool)
    /// Pressed Ctrl-D, or closed the terminal.
    case end
  }

  /// Makes the one editor of the process.
  ///
  /// - Parameter prompt: what stands in front of each line, in characters that the terminal has.
  /// - Returns: nil where the system has no room for it.
  public init?(prompt: String) {
    // libedit counts columns by it. Many a locale is named and not installed.
    if setlocale(LC_CTYPE, "") == nil, Charset.ofTerminal.isUTF8 { setlocale(LC_CTYPE, "C.UTF-8") }
    guard chappie_editor_start(prompt) != 0 else { return nil }
  }

  /// What is done next. Everything else goes on meanwhile.
  public func next() async -> Entry {
    await offActor {
      var line: UnsafeMutablePointer<CChar>?
      let event = chappie_editor_read(&line)
      defer { free(line) }
      return switch event {
      case CHAPPIE_EDITOR_CLEARED: .interrupt(wasEmpty: false)
      case CHAPPIE_EDITOR_INTERRUPTED: .interrupt(wasEmpty: true)
      default: line.map { .line(String(cString: $0)) } ?? .end
      }
    }
  }

  /// Does what Ctrl-C does at the prompt, now or at the next one.
  public func interrupt() {
    chappie_editor_interrupt()
  }

  /// Ends the input, and gives the terminal back as it was.
  public func end() {
    chappie_editor_end()
  }
}
