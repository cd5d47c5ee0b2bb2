// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

extension Verb {
  /// `chappie threads delete`: deletes threads.
  static let threadDelete = Verb(
    "delete", tr("Delete threads for good"),
    details: tr(
      """
      --all deletes every thread of the account, archived or not, and the key that encrypts them. It works even if that \
      key is damaged or missing. \(ThreadsProxy.naming)
      """)
  ) { parser in
    let account = parser.account()
    let all = parser.flag("all", tr("All threads, and their key"))
    let yes = parser.yes()
    parser.acceptRemaining(placeholder: "\(ThreadsProxy.placeholder)…")
    return { arguments in
      let asks = try arguments.asks(unless: yes)
      guard arguments[all] else {
        let names = try arguments.threads()
        return Work.onThreads(of: arguments[account]) { threads in
          try await delete(try await threads.find(names), of: threads, asks: asks)
        }
      }
      try arguments.refuseThread()
      return Work.onThreads(of: arguments[account]) { threads in
        try await deleteAll(of: threads, arguments[account], asks: asks)
      }
    }
  }

  @GLibActor
  private static func delete(_ found: [ThreadReference], of threads: ThreadsProxy, asks: Bool) async throws {
    if asks {
      var titles: [String] = []
      for thread in found {
        let summary = if let summary = thread.summary { summary } else { try await threads.summary(thread.id) }
        titles.append(ThreadSummary.quoted(summary.title))
      }
      try await confirm(tr("Delete \(titles.joined(separator: ", ")) for good?"))
    }
    for thread in found {
      try await threads.call("Delete", .tuple(thread.id))
      StandardStream.output.line(tr("Deleted \(thread.text)."))
    }
  }

  @GLibActor
  private static func deleteAll(of threads: ThreadsProxy, _ account: String?, asks: Bool) async throws {
    if asks {
      let whose = account.map { tr("the account “\($0.terminalSafeLine)”") } ?? tr("this account")
      try await confirm(tr("Delete every thread of \(whose), and their key, for good?"))
    }
    try await threads.call("DeleteAll")
    StandardStream.output.line(tr("Deleted every thread, and their key."))
  }

  @GLibActor
  private static func confirm(_ question: String) async throws {
    try await Confirmation.ask(question, refused: tr("Nothing was deleted."))
  }
}
