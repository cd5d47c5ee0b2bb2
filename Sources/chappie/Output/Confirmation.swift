import GLibBridge
import Platform

/// A question to the person at the terminal, before something is removed for good.
enum Confirmation {
  /// Whether the answer is yes.
  @GLibActor
  static func isGiven(_ question: String) async -> Bool {
    StandardStream.error.write("\(question) [y/N] ")
    return ["y", "yes"].contains(await offActor({ readLine() })?.trimmed.lowercased())
  }
}

extension CommandLineArguments {
  /// Whether to ask first.
  ///
  /// - Throws: `CommandLineError` if there is no terminal to ask at, and `yes` is not given.
  func asks(unless yes: CommandLineFlag, to action: String) throws -> Bool {
    guard self[yes] || StandardInput.isTerminal else {
      throw CommandLineError("There is no terminal to ask at: give --yes to \(action) without being asked.")
    }
    return !self[yes]
  }
}
