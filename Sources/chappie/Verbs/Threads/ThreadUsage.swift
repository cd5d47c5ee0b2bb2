// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie threads usage`: shows the size of the store.
struct ThreadUsage: Verb {
  static let name = "usage"
  static let summary = tr("Show how much space the threads take")

  let account: String?
  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let json = parser.flag("json", tr("Print one JSON object"))
    return { ThreadUsage(account: $0[account], json: $0[json]) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let usage = try await ThreadsProxy.stored(service, account: account).usage()
    StandardStream.output.write(json ? usage.json.line + "\n" : usage.text)
    return .success
  }
}
