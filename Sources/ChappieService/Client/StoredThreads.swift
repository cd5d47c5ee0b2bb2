// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform
import ServiceConfiguration

/// The threads of one app and account. All objects of that app and account share them.
@GLibActor
final class StoredThreads {
  private let configuration: ChappieConfiguration
  private let policy: ThreadPolicy
  private var stores: [ChappieFileThreadStoreStoragePolicy.FileProtection: ChappieFileThreadStore] = [:]
  private var objects: [Weak<ThreadsObject>] = []
  private var queues: [String: ThreadQueue] = [:]

  /// - Parameters:
  ///   - configuration: names the app and the account with its keychain fields.
  ///   - policy: the retention, file protection and redaction of the service.
  init(_ configuration: ChappieConfiguration, _ policy: ThreadPolicy) {
    self.configuration = configuration
    self.policy = policy
  }

  // MARK: Stores

  /// The file protection for an object whose credential has this accessibility.
  func protection(_ accessibility: ChappieKeychainAccessibility) -> ChappieFileThreadStoreStoragePolicy.FileProtection {
    switch accessibility {
    case .whenUnlockedThisDeviceOnly: policy.protection
    case .afterFirstUnlockThisDeviceOnly: .completeUntilFirstUserAuthentication
    }
  }

  /// The file store with this protection, made at the first call. It announces the changes of its retention.
  func files(_ protection: ChappieFileThreadStoreStoragePolicy.FileProtection) -> ChappieFileThreadStore {
    if let store = stores[protection] { return store }
    let store = ChappieFileThreadStore(
      configuration: configuration, retentionPolicy: policy.retention,
      storagePolicy: ChappieFileThreadStoreStoragePolicy(fileProtection: protection))
    store.onRetention { [weak self] archived, deleted in
      Task.onGLib {
        for thread in archived { self?.tell(thread, .archived) }
        for thread in deleted { self?.tell(thread, .deleted) }
      }
    }
    stores[protection] = store
    return store
  }

  /// A store that writes to `files`: it redacts turns where the policy asks for it, and announces each change.
  func store(_ files: ChappieFileThreadStore) -> any ChappieThreadStore {
    let store: any ChappieThreadStore =
      policy.redaction.map { ChappieRedactingThreadStore(files, redaction: $0) } ?? files
    return NotifyingThreadStore(store) { [weak self] in self?.tell($0, $1) }
  }

  /// Checks the limits on accounts and threads before a new thread.
  ///
  /// - Throws: `BusError` with `LimitExceeded`, `ChappieThreadStoreError`.
  func checkRoom(in store: any ChappieThreadStore) async throws {
    let directory = ChappieFileThreadStore.directory(for: configuration)
    if !Files.exists(directory) {
      // Each account with threads has its own key in the keyring.
      let app = directory.split(separator: "/").dropLast().joined(separator: "/")
      guard (try? Files.names(in: "/" + app).count) ?? 0 < Limits.accountsWithThreads else {
        throw BusError(
          .limitExceeded, "\(Limits.accountsWithThreads) accounts of this program have threads: use one of them.")
      }
    }
    guard try await store.usage().threadCount < Limits.threads else {
      throw BusError(.limitExceeded, "There are \(Limits.threads) threads: delete some before you begin more.")
    }
  }

  /// Deletes all threads without opening any, and announces the deletion of each.
  ///
  /// - Throws: `ChappieThreadStoreError`.
  func deleteAll(from files: ChappieFileThreadStore) async throws {
    // Deletion also repairs an unreadable store. The ids of its threads are unknown, so it announces nothing.
    let ids = (try? await files.ids()) ?? []
    try await files.deleteAll()
    for id in ids { tell(id, .deleted) }
  }

  // MARK: Turns

  /// Runs `body` after all earlier turns of the thread, also those of other objects.
  ///
  /// - Parameter preparing: runs before the wait, so that its failure is reported at once.
  /// - Throws: the errors of `preparing` and `body`; `CancellationError`.
  func inTurn<Result: Sendable>(
    _ thread: String, preparing: () async throws -> Void, _ body: () async throws -> Result
  ) async throws -> Result {
    let queue = queues[thread] ?? ThreadQueue()
    queues[thread] = queue
    queue.length += 1
    defer {
      queue.length -= 1
      if queue.length == 0 { queues[thread] = nil }
    }
    return try await queue.mutex.withLock(preparing: preparing, body)
  }

  /// Checks that no turn of the thread runs or waits, of any object.
  ///
  /// - Throws: `BusError` with `InvalidArgument`.
  func checkIdle(_ thread: String) throws {
    guard queues[thread] == nil else {
      throw BusError(.invalidArgument, "A turn of the thread runs: wait for its end, or cancel it.")
    }
  }

  // MARK: Announcements

  /// Announces all changes to `object` from now on, for as long as it exists.
  func add(_ object: ThreadsObject) {
    objects.removeAll { $0.value == nil }
    objects.append(Weak(object))
  }

  private func tell(_ thread: String, _ change: ThreadChange) {
    for object in objects { object.value?.tell(thread, change) }
  }

  /// Tells all objects that the screen or the keyring was locked.
  func locked() {
    for object in objects { object.value?.locked() }
  }
}

/// The queue of one thread: its running turn and the waiting ones.
@GLibActor
private final class ThreadQueue {
  let mutex = AsyncMutex()
  var length = 0
}

/// The threads that are in use, with one ``StoredThreads`` for each app and account.
@GLibActor
final class ThreadStores {
  private let policy: ThreadPolicy
  /// The threads by the directory of their files.
  private var stores: [String: Weak<StoredThreads>] = [:]

  init(_ policy: ThreadPolicy) {
    self.policy = policy
    LockMonitor.shared.observe { [weak self] in
      if LockMonitor.shared.state.isLocked { self?.locked() }
    }
  }

  func threads(of configuration: ChappieConfiguration) -> StoredThreads {
    let directory = ChappieFileThreadStore.directory(for: configuration)
    if let threads = stores[directory]?.value { return threads }
    let threads = StoredThreads(configuration, policy)
    stores = stores.filter { $0.value.value != nil }
    stores[directory] = Weak(threads)
    return threads
  }

  private func locked() {
    for threads in stores.values { threads.value?.locked() }
  }
}

/// The kind of change in a `ThreadChanged` signal.
enum ThreadChange: String {
  case created, updated, renamed, archived, unarchived, deleted
}

/// Passes everything to another store, and announces each successful change.
struct NotifyingThreadStore: ChappieThreadStore {
  private let store: any ChappieThreadStore
  private let tell: @GLibActor (_ thread: String, ThreadChange) -> Void

  init(_ store: any ChappieThreadStore, tell: @escaping @GLibActor (_ thread: String, ThreadChange) -> Void) {
    self.store = store
    self.tell = tell
  }

  func create(_ thread: ChappieThreadSummary) async throws {
    try await store.create(thread)
    await tell(thread.id, .created)
  }

  func append(_ turn: ChappieTurn, to thread: String) async throws {
    let wasArchived = try await isArchived(thread)
    try await store.append(turn, to: thread)
    if wasArchived { await tell(thread, .unarchived) }
    await tell(thread, .updated)
  }

  func undoTurn(of thread: String, asking text: String?) async throws {
    try await store.undoTurn(of: thread, asking: text)
    await tell(thread, .updated)
  }

  func change(_ thread: String, _ change: ChappieThreadChange) async throws {
    if case .rename = change {
      try await store.change(thread, change)
      return await tell(thread, .renamed)
    }
    let wasArchived = try await isArchived(thread)
    try await store.change(thread, change)
    switch change {
    case .archive where !wasArchived: await tell(thread, .archived)
    case .unarchive where wasArchived: await tell(thread, .unarchived)
    default: break
    }
  }

  private func isArchived(_ thread: String) async throws -> Bool {
    try await store.summary(of: thread)?.isArchived ?? false
  }

  func delete(_ thread: String) async throws {
    try await store.delete(thread)
    await tell(thread, .deleted)
  }

  func title(for message: ChappieInputMessage) async -> String { await store.title(for: message) }

  func thread(_ id: String) async throws -> ChappieThread { try await store.thread(id) }

  func summary(of thread: String) async throws -> ChappieThreadSummary? { try await store.summary(of: thread) }

  func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] { try await store.threads(query) }

  func usage() async throws -> ChappieThreadStoreUsage { try await store.usage() }
}
