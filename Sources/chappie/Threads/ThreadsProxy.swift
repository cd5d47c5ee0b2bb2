// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform

/// A proxy of `org.chappie.Threads` for one account.
@GLibActor
struct ThreadsProxy {
  /// The number of threads in one reply of `List`.
  private static let page = 200

  let service: ServiceConnection
  let object: ObjectPath

}

extension ThreadsProxy {
  init(_ service: ServiceConnection, account: String?) async throws {
    self.init(service: service, object: try await service.sharedClient(account))
  }

  /// The threads of an account, even if it is signed out: for verbs that need no model.
  ///
  /// - Throws: ``CommandFailure``.
  static func stored(_ service: ServiceConnection, account: String?) async throws -> ThreadsProxy {
    do {
      return try await ThreadsProxy(service, account: account)
    } catch let failure as CommandFailure where failure.status == .signInNeeded {
      // The name may be invalid as an account.
      guard let object = try? await service.openClient(account) else { throw failure }
      let threads = ThreadsProxy(service: service, object: object)
      // An account without threads is probably a typing error. Any failure here comes again in the next call.
      if let usage = try? await threads.usage(), usage.isEmpty { throw failure }
      return threads
    }
  }

  /// Calls a method of the interface.
  ///
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  @discardableResult
  func call(_ member: String, _ arguments: Variant = .tuple([])) async throws -> Variant {
    // No timeout: the keyring may ask for its password first, and the user may take any time.
    try await explained { try await service.call(object, "Threads", member, arguments, timeout: nil) }
  }

  /// Opens a turn of a thread, and returns its socket.
  ///
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  func openTurn(_ id: String, _ options: VariantDictionary) async throws -> Descriptor {
    try await explained { try await service.openTurn(object, "Threads", .tuple(id, options)) }
  }

  private func explained<Reply: Sendable>(_ call: () async throws -> Reply) async throws -> Reply {
    do {
      return try await call()
    } catch let error as GLibError where error.isUnknownMethod {
      throw CommandFailure(
        .failed, tr("The service keeps no threads: Enabled=true under [Threads] in chappie/chappie.conf turns them on.")
      )
    } catch let error as GLibError where error.name == .noSuchThread {
      throw Self.noSuchThread
    }
  }

  private static let noSuchThread = CommandFailure(
    .failed, tr("There is no such thread: see chappie threads, also with --archived."),
    name: ErrorName.noSuchThread.busName)

  // MARK: One thread

  /// The thread as JSON text.
  func json(_ id: String) async throws -> String {
    try await call("Get", .tuple(id)).member(0, "json")
  }

  func thread(_ id: String) async throws -> ChappieThread {
    let json = try await json(id)
    // Decoding a large thread takes a while; meanwhile the spinner goes on.
    return try await offActor { Result { try ChappieThread(jsonValue: ChappieJSONValue(json: json)) } }.get()
  }

  /// Removes the last turn of a thread.
  ///
  /// - Parameter text: the text that its message must have; nil for any.
  func undoTurn(_ id: String, asking text: String? = nil) async throws {
    try await call("UndoTurn", .tuple(id, ["text": text] as VariantDictionary))
  }

  /// Replaces the messages of a thread by a summary, for the model.
  ///
  /// - Parameter summary: if it is empty, the model writes it.
  func compact(_ id: String, _ summary: String) async throws {
    _ = try await Spinner.show(tr("Summarising the thread…")) { try await call("Compact", .tuple(id, summary)) }
  }

  /// The entry of a thread in the list. A thread that is in use is on the first page.
  ///
  /// - Parameter isTitled: as in ``list(archived:limit:isTitled:_:)``.
  /// - Throws: ``CommandFailure`` if there is no such thread.
  func summary(_ id: String, isTitled: Bool = true) async throws -> ThreadSummary {
    var found: ThreadSummary?
    for archived in [false, true] where found == nil {
      try await list(archived: archived, isTitled: isTitled) { page in
        found = page.first { $0.id == id }
        return found == nil
      }
    }
    guard let found else { throw Self.noSuchThread }
    return found
  }

  // MARK: All threads

  /// The size of the store.
  func usage() async throws -> ThreadStoreUsage {
    try ThreadStoreUsage(try await call("GetUsage").member(0, "usage"))
  }

  /// Lists the active or the archived threads page by page, the latest change first.
  ///
  /// - Parameters:
  ///   - limit: the most threads; nil for all.
  ///   - isTitled: whether the entries have their titles, which pass the bus.
  ///   - take: gets a page, and returns whether it wants more.
  func list(
    archived: Bool, limit: Int? = nil, isTitled: Bool = true, _ take: ([ThreadSummary]) -> Bool
  ) async throws {
    var filter: VariantDictionary = ["archived": archived, "titles": isTitled]
    var left = limit ?? Int.max
    while left > 0 {
      let count = min(left, Self.page)
      filter.set("limit", UInt32(count))
      let reply = try await call("List", .tuple(filter))
      let threads = try reply.member(0, "threads", as: [VariantDictionary].self).map(ThreadSummary.init)
      guard take(threads), threads.count == count, let cursor = threads.last?.cursor else { return }
      filter.set("cursor", cursor)
      left -= count
    }
  }

  /// The active or the archived threads, the latest change first.
  ///
  /// - Parameter isTitled: as in ``list(archived:limit:isTitled:_:)``.
  func all(archived: Bool, limit: Int? = nil, isTitled: Bool = true) async throws -> [ThreadSummary] {
    var threads: [ThreadSummary] = []
    try await list(archived: archived, limit: limit, isTitled: isTitled) { page in
      threads += page
      return true
    }
    return threads
  }
}

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

extension [String] {
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
    guard isEmpty else { throw CommandLineError(tr("--all and a thread exclude each other.")) }
  }
}
