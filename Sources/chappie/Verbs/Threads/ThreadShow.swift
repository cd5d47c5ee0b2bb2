// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie threads show`: prints a thread.
struct ThreadShow: Verb {
  static let name = "show"
  static let summary = tr("Show the messages of a thread")
  static let details = ThreadsProxy.naming

  let account: String?
  let thread: String
  private let raw: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let raw = parser.raw()
    parser.acceptRemaining(placeholder: ThreadsProxy.placeholder)
    return { ThreadShow(account: $0[account], thread: try $0.thread(), raw: $0[raw]) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let threads = try await ThreadsProxy.stored(service, account: account)
    let id = try await threads.id(thread)
    let shown = try await Spinner.show(tr("Reading the thread…")) { try await threads.thread(id) }
    StandardStream.output.write(controlSequences: ThreadText(raw: raw).text(shown))
    return .success
  }
}
