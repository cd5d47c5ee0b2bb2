// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie threads delete`: deletes threads.
struct ThreadDelete: Verb {
  static let name = "delete"
  static let summary = tr("Delete threads for good")
  static let details = tr(
    """
    --all deletes every thread of the account, archived or not, and the key that encrypts them. It works even if that \
    key is damaged or missing. \(ThreadsProxy.naming)
    """)

  private enum Selection {
    case some([String])
    case all
  }

  let account: String?
  private let selection: Selection
  let asks: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let all = parser.flag("all", tr("All threads, and their key"))
    let yes = parser.flag("yes", short: "y", tr("Do not ask first"))
    parser.acceptRemaining(placeholder: "\(ThreadsProxy.placeholder)…")
    return { arguments in
      let asks = try arguments.asks(unless: yes)
      return ThreadDelete(
        account: arguments[account], selection: try selection(arguments, all: arguments[all]), asks: asks)
    }
  }

  private static func selection(_ arguments: CommandLineArguments, all: Bool) throws -> Selection {
    guard all else { return .some(try arguments.threads()) }
    guard arguments.remaining.isEmpty else { throw CommandLineError(tr("--all and a thread exclude each other.")) }
    return .all
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let kept = try await ThreadsProxy.stored(service, account: account)
    switch selection {
    case .some(let names): try await delete(try await kept.find(names), of: kept)
    case .all: try await deleteAll(of: kept)
    }
    return .success
  }

  @GLibActor
  private func delete(_ threads: [ThreadReference], of kept: ThreadsProxy) async throws {
    if asks {
      var titles: [String] = []
      for thread in threads { titles.append(ThreadSummary.quoted(try await kept.listed(thread).title)) }
      try await ask(tr("Delete \(titles.joined(separator: ", ")) for good?"))
    }
    for thread in threads {
      try await kept.call("Delete", .tuple(thread.id))
      StandardStream.output.write(tr("Deleted \(thread.text).") + "\n")
    }
  }

  @GLibActor
  private func deleteAll(of kept: ThreadsProxy) async throws {
    if asks {
      let whose = account.map { tr("the account “\($0.terminalSafeLine)”") } ?? tr("this account")
      try await ask(tr("Delete every thread of \(whose), and their key, for good?"))
    }
    try await kept.call("DeleteAll")
    StandardStream.output.write(tr("Deleted every thread, and their key.") + "\n")
  }

  /// - Throws: ``CommandFailure`` if the answer is not yes.
  @GLibActor
  private func ask(_ question: String) async throws {
    guard await Confirmation.isGiven(question) else { throw CommandFailure(.failed, tr("Nothing was deleted.")) }
  }
}
