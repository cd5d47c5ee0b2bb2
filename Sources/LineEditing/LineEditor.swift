import CEdit
import GLibBridge
import Glibc

/// Lines that a person types at a terminal, with editing and a history, by libedit.
///
/// The history ends with the process: what was typed is written to no file.
@GLibActor
public final class LineEditor {
  private let prompt: String

  public init(prompt: String) {
    self.prompt = prompt
    // libedit counts columns by it.
    setlocale(LC_CTYPE, "")
    using_history()
  }

  /// The next line without its end; nil when the input has ended. Everything else goes on meanwhile.
  public func next() async -> String? {
    let line = await offActor { [prompt] in
      guard let line = readline(prompt) else { return String?.none }
      defer { free(line) }
      return String(cString: line)
    }
    guard let line else { return nil }
    if !line.allSatisfy(\.isWhitespace) { add_history(line) }
    return line
  }
}
