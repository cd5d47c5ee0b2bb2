import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// `org.chappie.Threads` of an account.
@GLibActor
struct KeptThreads {
  /// How many threads are asked for at once.
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

  /// The threads of an account for what asks no model: that of one that is signed out, too.
  static func stored(_ service: ServiceConnection, account: String?) async throws -> KeptThreads {
    do {
      return try await KeptThreads(service, account: account)
    } catch let failure as CommandFailure where failure.status == .signInNeeded {
      // Not every text is the name of an account.
      guard let object = try? await service.openClient(account) else { throw failure }
      let threads = KeptThreads(service, at: object)
      // An account that has none was hardly meant. What fails here fails again, and is told then.
      if let room = try? await threads.room(), room.isEmpty { throw failure }
      return threads
    }
  }

  @discardableResult
  func call(_ member: String, _ arguments: Variant = .tuple([])) async throws -> Variant {
    do {
      // The keyring may ask for its password first, and a person may take their time.
      return try await service.call(object, "Threads", member, arguments, timeout: nil)
    } catch let error as GLibError where error.busName == "org.freedesktop.DBus.Error.UnknownMethod" {
      throw CommandFailure(
        .failed, "The service keeps no threads: Enabled=true under [Threads] in chappie/chappie.conf turns them on.")
    } catch let error as GLibError where error.busName == "org.chappie.Error.NoSuchThread" {
      throw Self.noSuchThread
    }
  }

  private static let noSuchThread = CommandFailure(
    .failed, "There is no such thread: see chappie threads, also with --archived.")

  // MARK: One thread

  func create() async throws -> String {
    try await call("Create", .tuple(VariantDictionary())).member(0, "thread")
  }

  /// The thread as JSON text.
  func json(_ id: String) async throws -> String {
    try await call("Get", .tuple(id)).member(0, "json")
  }

  func thread(_ id: String) async throws -> ChappieThread {
    let json = try await json(id)
    // A large one takes a while, in which a spinner goes on.
    return try await offActor { Result { try ChappieThread(jsonValue: ChappieJSONValue(json: json)) } }.get()
  }

  /// Puts a thread in short for the model.
  ///
  /// - Parameter summary: empty has the model write it.
  func compact(_ id: String, _ summary: String) async throws {
    _ = try await Spinner.show("Putting the thread in short…") { try await call("Compact", .tuple(id, summary)) }
  }

  /// What is listed of a thread: one that is in use is on the first page.
  func summary(_ id: String) async throws -> ThreadSummary {
    var found: ThreadSummary?
    for archived in [false, true] where found == nil {
      try await list(archived: archived) { page in
        found = page.first { $0.id == id }
        return found == nil
      }
    }
    guard let found else { throw Self.noSuchThread }
    return found
  }

  // MARK: All threads

  func room() async throws -> ThreadRoom {
    try ThreadRoom(try await call("GetUsage").member(0, "usage"))
  }

  /// The active threads or the archived ones, those first that changed last, page by page.
  ///
  /// - Parameter take: returns whether it wants more.
  func list(archived: Bool, limit: Int? = nil, _ take: ([ThreadSummary]) -> Bool) async throws {
    var filter: VariantDictionary = ["archived": archived]
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

  func all(archived: Bool, limit: Int? = nil) async throws -> [ThreadSummary] {
    var threads: [ThreadSummary] = []
    try await list(archived: archived, limit: limit) { page in
      threads += page
      return true
    }
    return threads
  }
}
