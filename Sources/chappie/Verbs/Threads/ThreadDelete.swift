import GLibBridge

/// `chappie threads delete`.
struct ThreadDelete: Verb {
  static let name = "delete"
  static let summary = "Delete threads for good"
  static let details = KeptThreads.naming

  let account: String?
  let threads: [String]
  let asks: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let yes = parser.flag("yes", short: "y", "Do not ask first")
    parser.acceptRemaining(placeholder: "\(KeptThreads.placeholder)…")
    return { arguments in
      guard arguments[yes] || StandardInput.isTerminal else {
        throw CommandLineError("There is no terminal to ask at: give --yes to delete without being asked.")
      }
      return ThreadDelete(account: arguments[account], threads: try arguments.threads(), asks: !arguments[yes])
    }
  }

  func run(_ service: Service) async throws -> ExitStatus {
    let kept = try await KeptThreads(service, account: account)
    let threads = try await kept.find(threads)
    if asks, await !agrees(threads) { throw Failure(.failed, "Nothing was deleted.") }
    for thread in threads {
      try await kept.call("Delete", .tuple(thread.id))
      StandardStream.output.write("Deleted \(ThreadSummary.quoted(thread.title)).\n")
    }
    return .success
  }

  @GLibActor
  private func agrees(_ threads: [ThreadSummary]) async -> Bool {
    let titles = threads.map { ThreadSummary.quoted($0.title) }.joined(separator: ", ")
    StandardStream.error.write("Delete \(titles) for good? [y/N] ")
    return ["y", "yes"].contains(await Terminal.readLine()?.trimmed.lowercased())
  }
}
