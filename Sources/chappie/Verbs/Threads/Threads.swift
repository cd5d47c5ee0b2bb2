// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie threads`: manages stored conversations.
struct Threads: Verb {
  static let name = "threads"
  static let summary = tr("List, show and manage stored conversations")
  static let details = tr("Without a verb, the threads are listed.")
  static let verbs: [any Verb.Type] = [
    ThreadList.self, ThreadShow.self, ThreadExport.self, ThreadRename.self, ThreadArchive.self, ThreadUnarchive.self,
    ThreadDelete.self, ThreadUsage.self, ThreadCompact.self,
  ]

  private let list: any Verb
  var json: Bool { list.json }

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let list = ThreadList.prepare(parser)
    return { Threads(list: try list($0)) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    try await list.run(service)
  }
}
