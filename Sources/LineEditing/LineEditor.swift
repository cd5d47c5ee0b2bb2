// SPDX-License-Identifier: Apache-2.0
import CLineEditor
import GLibBridge
import Glibc
import Platform

/// Reads lines that the user types at a terminal, with editing and history, by libedit.
///
/// The history is kept in memory only. Lines that are pasted together are one entry when the terminal supports
/// bracketed paste.
@GLibActor
public final class LineEditor {
  /// The user's input at the prompt.
  public enum Entry: Sendable, Equatable {
    /// A line, or several pasted lines, without the final line end.
    case line(String)
    /// Ctrl-C, which discards the line. `wasEmpty` tells whether the line was empty.
    case interrupt(wasEmpty: Bool)
    /// Ctrl-D on an empty line, or the terminal was closed.
    case end
  }

  /// Creates the editor. A process can have only one.
  ///
  /// - Parameter prompt: the prompt, in characters of the terminal's character set.
  /// - Returns: nil when memory runs out.
  public init?(prompt: String) {
    // libedit uses the locale to count columns. The named locale is often not installed.
    if setlocale(LC_CTYPE, "") == nil { setlocale(LC_CTYPE, Charset.ofTerminal.isUTF8 ? "C.UTF-8" : "C") }
    guard chappie_editor_start(prompt) != 0 else { return nil }
  }

  /// Waits for the user's next input, without blocking the actor.
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

  /// Has the effect of Ctrl-C, at the current or the next prompt.
  public func interrupt() {
    chappie_editor_interrupt()
  }

  /// Draws the line again after the window has got another size.
  public func resize() {
    chappie_editor_resize()
  }

  /// Sets what Tab completes to.
  ///
  /// - Parameter lines: begin with a slash, those with a common beginning side by side. After `/file `, `/image ` and
  ///   `/save ` Tab completes the names of files.
  public func complete(_ lines: [String]) {
    chappie_editor_complete(lines.map { $0 + "\n" }.joined())
  }

  /// Ends the input and restores the terminal's settings.
  public func end() {
    chappie_editor_end()
  }
}
