import GLibBridge
import Platform

/// `chappie threads compact`.
struct ThreadCompact: Verb {
  static let name = "compact"
  static let summary = "Put a long thread in short for the model"
  static let details = """
    The model reads SUMMARY from then on in place of what was said, which stays kept; without one it writes it. \
    \(KeptThreads.naming)
    """

  let account: String?
  let thread: String
  let text: String

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    parser.acceptRemaining(placeholder: "\(KeptThreads.placeholder) [SUMMARY…]")
    return { arguments in
      let (thread, text) = try arguments.threadAndText()
      return ThreadCompact(account: arguments[account], thread: thread, text: text ?? "")
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    // A text of the user's own asks no model.
    let threads =
      text.isEmpty
      ? try await KeptThreads(service, account: account) : try await KeptThreads.stored(service, account: account)
    try await threads.compact(try await threads.id(thread), text)
    StandardStream.output.write("The model reads a summary from now on.\n")
    return .success
  }
}
