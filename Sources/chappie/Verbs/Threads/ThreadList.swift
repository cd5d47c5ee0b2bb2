// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie threads list`: lists the threads.
struct ThreadList: Verb {
  static let name = "list"
  static let summary = tr("List the threads, the latest change first")

  let account: String?
  let archived: Bool
  let limit: Int?
  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let archived = parser.flag("archived", tr("The archived threads, not the active ones"))
    let limit = parser.integer("limit", in: 1...Int(Int32.max), placeholder: "N", tr("List at most N threads"))
    let json = parser.flag("json", tr("Print one JSON object a line"))
    return { arguments in
      ThreadList(
        account: arguments[account], archived: arguments[archived], limit: arguments[limit], json: arguments[json])
    }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let threads = try await ThreadsProxy.stored(service, account: account)
    if json {
      try await threads.list(archived: archived, limit: limit) { page in
        StandardStream.output.write(page.map { $0.json.line + "\n" }.joined())
        return true
      }
    } else {
      let listed = try await threads.all(archived: archived, limit: limit)
      let none =
        archived
        ? tr("No thread is archived.") + "\n" : tr("There are no threads: chappie ask --thread new begins one.") + "\n"
      StandardStream.output.write(listed.isEmpty ? none : table(listed))
    }
    return .success
  }

  private func table(_ threads: [ThreadSummary]) -> String {
    // The other columns take 56 characters.
    let room = Terminal.columns.map { max(20, $0 - 56) } ?? 60
    var table = Table(tr("THREAD"), tr("TITLE"), tr("CHANGED"), tr("TURNS"), tr("SIZE"))
    for thread in threads {
      table.append(
        ThreadSummary.short(thread.id), ThreadSummary.shown(thread.title).shortened(to: room),
        thread.updatedAt.localText, "\(thread.turnCount)", ByteCount(bytes: thread.bytes).text)
    }
    return table.text
  }
}
