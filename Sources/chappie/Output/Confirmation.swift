// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A question to the person at the terminal, before something is removed for good.
enum Confirmation {
  /// Whether the answer is yes.
  @GLibActor
  static func isGiven(_ question: String) async -> Bool {
    // Translators: y stands for the first letter of “yes”.
    StandardStream.error.write("\(question) \(tr("[y/N]")) ")
    let yes = tr("yes")
    return ["y", "yes", yes, String(yes.prefix(1))].contains(
      await offActor({ StandardInput.line(limit: 64) })?.trimmed.lowercased())
  }
}

extension CommandLineArguments {
  /// Whether to ask first.
  ///
  /// - Throws: `CommandLineError` if there is no terminal to ask at, and `yes` is not given.
  func asks(unless yes: CommandLineFlag) throws -> Bool {
    guard self[yes] || StandardInput.isTerminal else {
      throw CommandLineError(tr("There is no terminal to ask at: give --yes to go on without being asked."))
    }
    return !self[yes]
  }
}
