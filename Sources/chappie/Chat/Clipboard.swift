// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The clipboard of the terminal, wherever the terminal is: by OSC 52.
enum Clipboard {
  /// Terminals ignore much longer ones.
  private static let limit = 74_994

  /// Asks the terminal to put `text` on the clipboard. No terminal tells whether it did.
  ///
  /// - Throws: ``CommandFailure`` if there is no terminal, or if the text is too long for one.
  static func copy(_ text: String) throws(CommandFailure) {
    guard StandardStream.output.isTerminal else {
      throw CommandFailure(.failed, tr("Standard output is no terminal, so nothing can be copied: use /save."))
    }
    let encoded = Base64.encode(Array(text.utf8))
    guard encoded.utf8.count <= limit else {
      throw CommandFailure(.failed, tr("The answer is too long for terminals to copy: use /save."))
    }
    StandardStream.output.write(controlSequences: "\u{1B}]52;c;\(encoded)\u{1B}\\")
  }
}
