// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import LineEditing
import Platform

/// Reads the address at which the browser of another computer arrived: at a terminal with a line editor, since a
/// terminal by itself cuts lines at 4096 bytes, and else from the lines of standard input.
@GLibActor
final class CallbackReader {
  /// In bytes: more than the service takes for an address.
  private nonisolated static let lineLimit = 64 << 10

  private let editor: LineEditor?

  /// - Throws: ``CommandFailure``.
  init() throws {
    guard StandardInput.isTerminal else {
      editor = nil
      return
    }
    editor = LineEditor(prompt: tr("Address:") + " ")
    if editor == nil { throw CommandFailure(.failed, tr("There is no memory for a line editor.")) }
  }

  /// Whether a person is asked.
  var isAtTerminal: Bool { editor != nil }

  /// Waits for the next line that is not empty, without the spaces and line ends that copying may add.
  func next() async -> LineEditor.Entry {
    while true {
      let entry: LineEditor.Entry =
        if let editor { await editor.next() } else {
          await offActor { StandardInput.line(limit: Self.lineLimit) }.map { .line($0) } ?? .end
        }
      guard case .line(let line) = entry else { return entry }
      let address = line.filter { !$0.isWhitespace }
      if !address.isEmpty { return .line(address) }
    }
  }

  /// Gives the terminal back, at the end of the reading.
  func end() {
    editor?.end()
  }
}
