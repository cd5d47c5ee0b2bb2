// SPDX-License-Identifier: Apache-2.0
import ChappieBusInterfaces
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform
import ServiceConfiguration

/// `org.chappie.Threads`, beside the `org.chappie.Client` of the same object.
@GLibActor
final class ThreadsObject: ServiceInterface {
  static let interface = "org.chappie.Threads"
  static var xml: String { BusInterfaceFiles.threads }

  let signals = InterfaceSignals()
  unowned let client: ClientObject
  let stored: StoredThreads
  private let store: any ChappieThreadStore
  let conversations: ThreadConversations
  let files: ChappieFileThreadStore
  private let protection: ChappieFileThreadStoreStoragePolicy.FileProtection

  init(_ client: ClientObject, _ stores: ThreadStores) {
    self.client = client
    let configuration = client.client.configuration
    stored = stores.threads(of: configuration)
    protection = stored.protection(configuration.keychainAccessibility)
    let files = stored.files(protection)
    self.files = files
    store = stored.policy.redaction.map { ChappieRedactingThreadStore(files, redaction: $0) } ?? files
    conversations = ThreadConversations(client.client, store, client.environment.memory)
  }

  var methods: [String: Handler] { turnMethods.merging(storeMethods) { first, _ in first } }

  /// Starts to announce changes, and starts retention.
  func wasExported() {
    stored.add(self)
    Task.onGLib { [files] in await files.startRetention() }
  }

  /// The store. If `call` allows interaction, the keyring is unlocked first, and may ask the user for its password.
  ///
  /// - Throws: `ChappieThreadStoreError`, `CancellationError`.
  func unlockedStore(for call: BusCall) async throws -> any ChappieThreadStore {
    if call.allowsInteraction { try await files.unlock() }
    return store
  }

  func tell(_ thread: String, _ change: ChappieFileThreadStore.Change) {
    if change == .deleted { conversations.forget(thread) }
    signals.emit("ThreadChanged", .tuple(thread, change.rawValue))
  }

  /// Drops the conversations from memory if their files may be read only while nothing is locked.
  func locked() {
    if protection == .complete { conversations.forgetAll() }
  }
}

/// The methods that read and change stored threads.
extension ThreadsObject {
  var storeMethods: [String: Handler] {
    [
      "List": { [unowned self] in
        let filter: VariantDictionary = try $0.argument(0)
        let (query, isTitled) = (try ChappieThreadQuery(filter), try filter.value("titles") ?? true)
        return .tuple(try await unlockedStore(for: $0).threads(query).map { $0.dictionary(isTitled: isTitled) })
      },
      "Create": { [unowned self] in
        let options: VariantDictionary = try $0.argument(0)
        let title = try options.value("title", as: String.self).map(Self.checkedTitle) ?? ""
        try await client.environment.callers.beginsThread($0.sender)
        let store = try await unlockedStore(for: $0)
        try await stored.checkRoom(in: store)
        return .tuple(try await store.create(titled: title))
      },
      "Get": { [unowned self] in
        try await json(of: $0.argument(0), in: unlockedStore(for: $0), for: $0)
      },
      "Rename": action { [unowned self] in
        try await unlockedStore(for: $0).change($0.argument(0), .rename(Self.checkedTitle($0.argument(1))))
      },
      "Archive": action { [unowned self] in try await unlockedStore(for: $0).change($0.argument(0), .archive) },
      "Unarchive": action { [unowned self] in try await unlockedStore(for: $0).change($0.argument(0), .unarchive) },
      "Delete": action { [unowned self] in try await unlockedStore(for: $0).delete($0.argument(0)) },
      "DeleteAll": action { [unowned self] in
        _ = try await unlockedStore(for: $0)
        try await stored.deleteAll(from: files)
      },
      "GetUsage": { [unowned self] in
        .tuple(try await unlockedStore(for: $0).usage().dictionary)
      },
    ]
  }

  private func json(of id: String, in store: any ChappieThreadStore, for call: BusCall) async throws -> Variant {
    let bytes = try await Self.checkedSize(of: id, in: store)
    let memory = client.environment.memory
    let application = await client.application(of: call)
    let lease = try memory.lease(MemoryBudget.callOverhead + MemoryBudget.replyFactor * bytes, for: application)
    defer { memory.end(lease) }
    let thread = try await store.thread(id)
    // Encoding a large thread takes long, and the actor has other callers to answer.
    let json = await offActor { thread.json }
    return .tuple(json)
  }

  /// The stored size of a thread in bytes; 0 if it does not exist.
  ///
  /// - Throws: `BusError` with `LimitExceeded` if the thread is too large to be read as a whole, or would then be;
  ///   `ChappieThreadStoreError`.
  /// - Parameter added: the bytes that will be stored with it.
  static func checkedSize(of id: String, in store: any ChappieThreadStore, adding added: Int = 0) async throws -> Int {
    let bytes = Int(clamping: try await store.summary(of: id)?.bytes ?? 0)
    try Limits.check(threadBytes: bytes, adding: added)
    return bytes
  }

  private static func checkedTitle(_ title: String) throws -> String {
    guard title.utf8.count <= Limits.titleBytes, !title.unicodeScalars.contains(where: \.properties.isControl) else {
      throw BusError(
        .invalidArgument, en("A title must have at most \(Limits.titleBytes) bytes and no control characters."))
    }
    return title
  }
}
