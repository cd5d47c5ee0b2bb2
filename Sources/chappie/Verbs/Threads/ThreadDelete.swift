import GLibBridge
import Platform

/// `chappie threads delete`.
struct ThreadDelete: Verb {
  static let name = "delete"
  static let summary = "Delete threads for good"
  static let details = """
    --all deletes every thread of the account, the archived ones too, and the key that they are sealed with: also where \
    that key is damaged or gone, and nothing else can be done with them. \(KeptThreads.naming)
    """

  private enum What {
    case some([String])
    case all
  }

  let account: String?
  private let what: What
  let asks: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let all = parser.flag("all", "All threads, and the key that they are sealed with")
    let yes = parser.flag("yes", short: "y", "Do not ask first")
    parser.acceptRemaining(placeholder: "\(KeptThreads.placeholder)…")
    return { arguments in
      guard arguments[yes] || StandardInput.isTerminal else {
        throw CommandLineError("There is no terminal to ask at: give --yes to delete without being asked.")
      }
      return ThreadDelete(
        account: arguments[account], what: try what(arguments, all: arguments[all]), asks: !arguments[yes])
    }
  }

  private static func what(_ arguments: CommandLineArguments, all: Bool) throws -> What {
    guard all else { return .some(try arguments.threads()) }
    guard arguments.remaining.isEmpty else { throw CommandLineError("--all and a thread exclude each other.") }
    return .all
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let kept = try await KeptThreads.stored(service, account: account)
    switch what {
    case .some(let names): try await delete(try await kept.find(names), of: kept)
    case .all: try await deleteAll(of: kept)
    }
    return .success
  }

  @GLibActor
  private func delete(_ threads: [NamedThread], of kept: KeptThreads) async throws {
    if asks {
      var titles: [String] = []
      for thread in threads { titles.append(ThreadSummary.quoted(try await kept.listed(thread).title)) }
      try await ask("Delete \(titles.joined(separator: ", ")) for good?")
    }
    for thread in threads {
      try await kept.call("Delete", .tuple(thread.id))
      StandardStream.output.write("Deleted \(thread.text).\n")
    }
  }

  @GLibActor
  private func deleteAll(of kept: KeptThreads) async throws {
    if asks {
      let whose = account.map { "the account “\($0.harmlessLine)”" } ?? "this account"
      try await ask("Delete every thread of \(whose), and the key that they are sealed with, for good?")
    }
    try await kept.call("DeleteAll")
    StandardStream.output.write("Deleted every thread, and the key that they were sealed with.\n")
  }

  /// - Throws: ``CommandFailure`` where a person does not agree.
  @GLibActor
  private func ask(_ question: String) async throws {
    StandardStream.error.write("\(question) [y/N] ")
    guard ["y", "yes"].contains(await offActor({ readLine() })?.trimmed.lowercased()) else {
      throw CommandFailure(.failed, "Nothing was deleted.")
    }
  }
}
