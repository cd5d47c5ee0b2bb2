import GLibBridge

/// How a person names a thread: by its id, by the beginning of it, or as the last one.
extension KeptThreads {
  nonisolated static let placeholder = "THREAD"
  /// What the help of a verb says about it.
  nonisolated static let naming = "THREAD is an id, the beginning of one, or “last” for the one that changed last."

  private static let last = "last"
  private static let idLength = 36

  /// The id of the thread that is meant.
  func id(_ name: String) async throws -> String {
    // Whether there is a thread of a whole id, the service says.
    if name.utf8.count == Self.idLength { return name }
    return try await find([name])[0].id
  }

  /// The threads that are meant, each once.
  ///
  /// - Parameter archived: whether the last one is meant among the archived threads, and not the active ones.
  func find(_ names: [String], lastIsArchived: Bool = false) async throws -> [ThreadSummary] {
    var known: [ThreadSummary] = []
    if names.contains(where: { $0 != Self.last }) {
      known = try await all(archived: false) + all(archived: true)
    }
    var found: [ThreadSummary] = []
    for name in names {
      let thread = name == Self.last ? try await newest(archived: lastIsArchived) : try Self.thread(name, of: known)
      if !found.contains(where: { $0.id == thread.id }) { found.append(thread) }
    }
    return found
  }

  private func newest(archived: Bool) async throws -> ThreadSummary {
    guard let newest = try await all(archived: archived, limit: 1).first else {
      throw Failure(.failed, archived ? "No thread is archived." : "There are no threads yet.")
    }
    return newest
  }

  private static func thread(_ name: String, of known: [ThreadSummary]) throws -> ThreadSummary {
    let meant = known.filter { $0.id.hasPrefix(name) && !name.isEmpty }
    if let thread = meant.first(where: { $0.id == name }) ?? (meant.count == 1 ? meant[0] : nil) { return thread }
    if meant.isEmpty {
      throw Failure(.failed, "There is no thread “\(name.harmlessLine)”: see chappie threads, also with --archived.")
    }
    let ids = meant.prefix(3).map(\.id) + (meant.count > 3 ? ["…"] : [])
    throw Failure(
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
