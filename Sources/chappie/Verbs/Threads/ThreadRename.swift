// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie threads rename`: renames a thread.
struct ThreadRename: Verb {
  static let name = "rename"
  static let summary = tr("Give a thread another title")
  static let details = tr("With an empty TITLE, the next message names the thread.") + " " + ThreadsProxy.naming

  let account: String?
  let thread: String
  let title: String

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    parser.acceptRemaining(placeholder: tr("\(ThreadsProxy.placeholder) TITLE…"))
    return { arguments in
      let (thread, title) = try arguments.threadAndText()
      guard let title else { throw CommandLineError(tr("Which title is the thread to have?")) }
      return ThreadRename(account: arguments[account], thread: thread, title: title)
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let threads = try await ThreadsProxy.stored(service, account: account)
    try await threads.call("Rename", .tuple(try await threads.id(thread), title))
    StandardStream.output.write(
      title.isEmpty
        ? tr("The next message names the thread.") + "\n" : tr("Renamed to \(ThreadSummary.quoted(title)).") + "\n")
    return .success
  }
}
