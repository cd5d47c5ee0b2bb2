// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie threads compact`: summarises a thread.
struct ThreadCompact: Verb {
  static let name = "compact"
  static let summary = tr("Summarise a long thread for the model")
  static let details = tr(
    """
    From then on the model reads SUMMARY in place of the earlier messages, which stay stored. Without SUMMARY the model \
    writes one. \(ThreadsProxy.naming)
    """)

  let account: String?
  let thread: String
  let text: String

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    parser.acceptRemaining(placeholder: tr("\(ThreadsProxy.placeholder) [SUMMARY…]"))
    return { arguments in
      let (thread, text) = try arguments.threadAndText()
      return ThreadCompact(account: arguments[account], thread: thread, text: text ?? "")
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    // The user's own summary needs no model, and so no sign-in.
    let threads =
      text.isEmpty
      ? try await ThreadsProxy(service, account: account) : try await ThreadsProxy.stored(service, account: account)
    try await threads.compact(try await threads.id(thread), text)
    StandardStream.output.write(tr("The model reads a summary from now on.") + "\n")
    return .success
  }
}
