import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// `org.chappie.Threads` of an account.
@GLibActor
struct KeptThreads {
  /// How many threads are asked for at once.
  private static let page = 200

  let service: Service
  let object: ObjectPath

  init(_ service: Service, account: String?) async throws {
    self.init(service, at: try await service.sharedClient(account))
  }

  init(_ service: Service, at object: ObjectPath) {
    self.service = service
    self.object = object
  }

  @discardableResult
  func call(_ member: String, _ arguments: Variant = .tuple([])) async throws -> Variant {
    do {
      // The keyring may ask for its password first, and a person may take their time.
      return try await service.call(object, "Threads", member, arguments, timeout: nil)
    } catch let error as GLibError where error.busName == "org.freedesktop.DBus.Error.UnknownMethod" {
      throw Failure(
        .failed, "The service keeps no threads: Enabled=true under [Threads] in chappie/chappie.conf turns them on.")
    }
  }

  // MARK: One thread

  func create() async throws -> String {
    try await call("Create", .tuple(VariantDictionary())).member(0, "thread")
  }

  /// The thread as JSON text. A spinner shows when it takes its time.
  func json(_ id: String) async throws -> String {
    let spinner = Spinner("Reading the thread…", after: .milliseconds(300))
    defer { spinner.stop() }
    return try await call("Get", .tuple(id)).member(0, "json")
  }

  func thread(_ id: String) async throws -> ChappieThread {
    try ChappieThread(jsonValue: ChappieJSONValue(json: try await json(id)))
  }

  /// Puts a thread in short for the model.
  ///
  /// - Parameter summary: empty has the model write it.
  func compact(_ id: String, _ summary: String) async throws {
    let spinner = Spinner("Putting the thread in short…", after: .milliseconds(300))
    defer { spinner.stop() }
    try await call("Compact", .tuple(id, summary))
  }

  // MARK: All threads

  /// The active threads or the archived ones, those first that changed last, page by page.
  func list(archived: Bool, limit: Int? = nil, _ take: ([ThreadSummary]) -> Void) async throws {
    var filter: VariantDictionary = ["archived": archived]
    var left = limit ?? Int.max
    // A thread that changes meanwhile comes first, and may come again.
    var seen: Set<String> = []
    while left > 0 {
      let count = min(left, Self.page)
      filter.set("limit", UInt32(count))
      let reply = try await call("List", .tuple(filter))
      let threads = try reply.member(0, "threads", as: [VariantDictionary].self).map(ThreadSummary.init)
      take(threads.filter { seen.insert($0.id).inserted })
      guard threads.count == count, let cursor = threads.last?.cursor else { return }
      filter.set("cursor", cursor)
      left -= count
    }
  }

  func all(archived: Bool, limit: Int? = nil) async throws -> [ThreadSummary] {
    var threads: [ThreadSummary] = []
    try await list(archived: archived, limit: limit) { threads += $0 }
    return threads
  }
}
