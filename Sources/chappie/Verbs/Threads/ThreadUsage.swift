import GLibBridge
import Platform

/// `chappie threads usage`.
struct ThreadUsage: Verb {
  static let name = "usage"
  static let summary = "Show how much room the threads take"

  let account: String?
  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let json = parser.flag("json", "Print one JSON object")
    return { ThreadUsage(account: $0[account], json: $0[json]) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let room = try await KeptThreads.stored(service, account: account).room()
    StandardStream.output.write(json ? room.json.line + "\n" : room.text)
    return .success
  }
}
