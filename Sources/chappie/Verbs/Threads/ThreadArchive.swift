// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie threads archive`: archives threads.
struct ThreadArchive: Verb {
  static let name = "archive"
  static let summary = tr("Archive threads; retention deletes them later")
  static let details = ThreadsProxy.naming

  let account: String?
  let threads: [String]

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    parser.acceptRemaining(placeholder: "\(ThreadsProxy.placeholder)…")
    return { ThreadArchive(account: $0[account], threads: try $0.threads()) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let kept = try await ThreadsProxy.stored(service, account: account)
    for thread in try await kept.find(threads) {
      try await kept.call("Archive", .tuple(thread.id))
      StandardStream.output.write(tr("Archived \(thread.text).") + "\n")
    }
    return .success
  }
}

/// `chappie threads unarchive`: makes archived threads active again.
struct ThreadUnarchive: Verb {
  static let name = "unarchive"
  static let summary = tr("Make archived threads active again")
  static let details =
    tr("THREAD is an id, the beginning of one, or “last” for the archived one that changed last.")

  let account: String?
  let threads: [String]

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    parser.acceptRemaining(placeholder: "\(ThreadsProxy.placeholder)…")
    return { ThreadUnarchive(account: $0[account], threads: try $0.threads()) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let kept = try await ThreadsProxy.stored(service, account: account)
    for thread in try await kept.find(threads, lastIsArchived: true) {
      try await kept.call("Unarchive", .tuple(thread.id))
      StandardStream.output.write(tr("Unarchived \(thread.text).") + "\n")
    }
    return .success
  }
}
