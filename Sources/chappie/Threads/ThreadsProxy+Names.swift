// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// Resolves the names of threads on the command line: an id, the beginning of one, or `last`.
extension ThreadsProxy {
  nonisolated static let placeholder = tr("THREAD")
  /// The explanation in the help of a verb.
  nonisolated static let naming = tr("THREAD is an id, the beginning of one, or “last” for the one that changed last.")

  private static let last = "last"
  private static let idLength = 36

  /// The id of the thread with this name. No title passes the bus.
  ///
  /// - Throws: ``CommandFailure`` if no thread, or more than one, has this name.
  func id(_ name: String) async throws -> String {
    try await find([name], isTitled: false)[0].id
  }

  /// The threads with these names, each once. A whole id is not looked up.
  ///
  /// - Parameters:
  ///   - lastIsArchived: whether `last` means the last archived thread, not the last active one.
  ///   - isTitled: whether the threads have their titles, which pass the bus.
  /// - Throws: ``CommandFailure`` if no thread, or more than one, has a name.
  func find(_ names: [String], lastIsArchived: Bool = false, isTitled: Bool = true) async throws
    -> [ThreadReference]
  {
    var known: [ThreadSummary] = []
    if names.contains(where: { $0 != Self.last && !Self.isWhole($0) }) {
      known = try await all(archived: false, isTitled: isTitled) + all(archived: true, isTitled: isTitled)
    }
    var found: [ThreadReference] = []
    for name in names {
      let thread: ThreadReference =
        switch name {
        case Self.last: try await newest(archived: lastIsArchived, isTitled: isTitled)
        case _ where Self.isWhole(name): ThreadReference(id: name)
        default: try Self.thread(name, of: known)
        }
      if !found.contains(where: { $0.id == thread.id }) { found.append(thread) }
    }
    return found
  }

  private static func isWhole(_ name: String) -> Bool { name.utf8.count == idLength }

  private func newest(archived: Bool, isTitled: Bool) async throws -> ThreadReference {
    guard let newest = try await all(archived: archived, limit: 1, isTitled: isTitled).first else {
      throw CommandFailure(.failed, archived ? tr("No thread is archived.") : tr("There are no threads yet."))
    }
    return ThreadReference(id: newest.id, summary: newest)
  }

  private static func thread(_ name: String, of known: [ThreadSummary]) throws -> ThreadReference {
    let matches = known.filter { $0.id.hasPrefix(name) && !name.isEmpty }
    if matches.count == 1 { return ThreadReference(id: matches[0].id, summary: matches[0]) }
    if matches.isEmpty {
      throw CommandFailure(
        .failed, tr("There is no thread “\(name.terminalSafeLine)”: see chappie threads, also with --archived."))
    }
    let ids = matches.prefix(3).map(\.id) + (matches.count > 3 ? ["…"] : [])
    throw CommandFailure(
      .failed,
      tr("“\(name)” is the beginning of \(matches.count) threads, give more of it: \(ids.joined(separator: ", "))."))
  }
}

extension CommandLineArguments {
  private static var missing: String { tr("Which thread? See chappie threads.") }

  /// The name of the one thread that a verb takes.
  ///
  /// - Throws: `CommandLineError` for none or several.
  func thread() throws -> String { try one(Self.missing) }

  /// The names of the threads that a verb takes.
  ///
  /// - Throws: `CommandLineError` for none.
  func threads() throws -> [String] { try several(Self.missing) }

  /// The name of the thread that a verb takes, and the text after it.
  ///
  /// - Throws: `CommandLineError` if there is no name.
  func threadAndText() throws -> (thread: String, text: String?) {
    let words = try threads()
    return (words[0], words.count > 1 ? words.dropFirst().joined(separator: " ") : nil)
  }

  /// - Throws: `CommandLineError` if a thread is named beside `--all`.
  func refuseThread() throws {
    guard remaining.isEmpty else { throw CommandLineError(tr("--all and a thread exclude each other.")) }
  }
}
