import GLibBridge
import Platform

/// How a person names a thread: by its id, by the beginning of it, or as the last one.
extension KeptThreads {
  nonisolated static let placeholder = "THREAD"
  /// What the help of a verb says about it.
  nonisolated static let naming = "THREAD is an id, the beginning of one, or “last” for the one that changed last."

  private static let last = "last"
  private static let idLength = 36

  /// The id of the thread that is meant.
  func id(_ name: String) async throws -> String {
    try await find([name])[0].id
  }

  /// The threads that are meant, each once. Those that are named by their whole id are not looked for.
  ///
  /// - Parameter archived: whether the last one is meant among the archived threads, and not the active ones.
  func find(_ names: [String], lastIsArchived: Bool = false) async throws -> [NamedThread] {
    var known: [ThreadSummary] = []
    if names.contains(where: { $0 != Self.last && !Self.isWhole($0) }) {
      known = try await all(archived: false) + all(archived: true)
    }
    var found: [NamedThread] = []
    for name in names {
      let thread: NamedThread =
        switch name {
        case Self.last: .listed(try await newest(archived: lastIsArchived))
        case _ where Self.isWhole(name): .whole(name)
        default: .listed(try Self.thread(name, of: known))
        }
      if !found.contains(where: { $0.id == thread.id }) { found.append(thread) }
    }
    return found
  }

  /// What is listed of a thread that is meant.
  func listed(_ thread: NamedThread) async throws -> ThreadSummary {
    switch thread {
    case .whole(let id): try await summary(id)
    case .listed(let summary): summary
    }
  }

  private static func isWhole(_ name: String) -> Bool { name.utf8.count == idLength }

  private func newest(archived: Bool) async throws -> ThreadSummary {
    guard let newest = try await all(archived: archived, limit: 1).first else {
      throw CommandFailure(.failed, archived ? "No thread is archived." : "There are no threads yet.")
    }
    return newest
  }

  private static func thread(_ name: String, of known: [ThreadSummary]) throws -> ThreadSummary {
    let meant = known.filter { $0.id.hasPrefix(name) && !name.isEmpty }
    if meant.count == 1 { return meant[0] }
    if meant.isEmpty {
      throw CommandFailure(
        .failed, "There is no thread “\(name.harmlessLine)”: see chappie threads, also with --archived.")
    }
    let ids = meant.prefix(3).map(\.id) + (meant.count > 3 ? ["…"] : [])
    throw CommandFailure(
      .failed, "“\(name)” is the beginning of \(meant.count) threads, give more of it: \(ids.joined(separator: ", ")).")
  }
}

extension CommandLineArguments {
  /// The one thread that a verb is about.
  func thread() throws -> String {
    guard let name = remaining.first else { throw CommandLineError("Which thread? See chappie threads.") }
    guard remaining.count == 1 else { throw CommandLineError("“\(remaining[1])” is one argument too many") }
    return name
  }

  /// The threads that a verb is about.
  func threads() throws -> [String] {
    guard !remaining.isEmpty else { throw CommandLineError("Which thread? See chappie threads.") }
    return remaining
  }

  /// The thread that a verb is about, and the text behind it.
  func threadAndText() throws -> (thread: String, text: String?) {
    let words = try threads()
    return (words[0], words.count > 1 ? words.dropFirst().joined(separator: " ") : nil)
  }
}
