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

  init(_ service: ServiceConnection, account: String?) async throws {
    self.init(service, at: try await service.sharedClient(account))
  }

  init(_ service: ServiceConnection, at object: ObjectPath) {
    self.service = service
    self.object = object
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
      let threads = ThreadsProxy(service, at: object)
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

  /// Creates a thread, and returns its id.
  func create() async throws -> String {
    try await call("Create", .tuple(VariantDictionary())).member(0, "thread")
  }

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
    var options = VariantDictionary()
    options.set("text", text)
    try await call("UndoTurn", .tuple(id, options))
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
